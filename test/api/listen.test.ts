import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { type HttpServer, listen } from '../../api/listen.ts';
import { openConnection, type RawConnection } from '../support/raw-connection.ts';

const STALLED_MS = 600;
const MIB = 1_048_576;
/** More than the buffers of two sockets take. */
const PART = 16 * MIB;
const LARGE = Buffer.alloc(3 * PART, 'x');

/** The look of Node at a connection, which its timer makes whenever the limit has passed. */
const look = (socket: Socket) => (socket as unknown as { _onTimeout(): void })._onTimeout();

describe('a response', () => {
  let server: HttpServer;
  let respond: (response: ServerResponse) => void;
  const handle = (_request: unknown, response: ServerResponse) => respond(response);
  const address = { port: 0, host: '127.0.0.1' };
  const open: RawConnection[] = [];
  before(async () => {
    server = await listen(handle, address);
  });
  afterEach(() => open.splice(0).forEach(({ socket }) => socket.destroy()));
  after(() => server.close(0, () => {}));
  const request = async ({ port } = server) => {
    const connection = await openConnection(`http://127.0.0.1:${port}`);
    open.push(connection);
    return connection;
  };
  const head = 'GET / HTTP/1.1\r\nHost: parley\r\n\r\n';

  it('that its client does not read ends with its connection, and what is held for it is released', async () => {
    const impatient = await listen(handle, address, STALLED_MS);
    const { socket } = await request(impatient);
    socket.pause();
    const closed = new Promise<ServerResponse>(resolve => {
      respond = response => response.once('close', () => resolve(response)).end(LARGE);
    });
    socket.write(head);
    expect((await closed).req.socket.destroyed).to.equal(true);
    await impatient.close(0, () => {});
  });

  it('is a refusal where the target of the request is neither a path nor an address of the web', async () => {
    respond = response => void response.end();
    const statusOf = async (target: string) => {
      const { socket, read, closed } = await request();
      socket.write(`GET ${target} HTTP/1.1\r\nHost: parley\r\nConnection: close\r\n\r\n`);
      await closed;
      return Number(read().split(' ')[1]);
    };
    for (const target of ['/', '//[', '*', 'http://parley/', 'https://parley:443/?a'])
      expect(await statusOf(target), target).to.equal(200);
    for (const target of ['http://[', 'http://[::1', 'http://:80', 'foo://bar', 'x://'])
      expect(await statusOf(target), target).to.equal(400);
  });

  it('says what is wrong with a request that is no HTTP, or has more headers than are read', async () => {
    respond = response => void response.end();
    const answerTo = async (text: string) => {
      const { socket, read, closed } = await request();
      socket.write(text);
      await closed;
      const [status = '', body = ''] = read().split(/ Refused[^]*\r\n\r\n/);
      return [status, JSON.parse(body).message];
    };
    expect(await answerTo('Oi?\r\n\r\n')).to.deep.equal(['HTTP/1.1 400', 'The request is not valid HTTP']);
    const large = `GET / HTTP/1.1\r\nHost: parley\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`;
    expect(await answerTo(large)).to.deep.equal(['HTTP/1.1 431', 'The headers are too large']);
  });

  it('that its client reads slowly, and one that the service is long about, are sent as a whole', async () => {
    const { socket } = await request();
    socket.removeAllListeners('data').pause();
    const asked = new Promise<ServerResponse>(resolve => (respond = resolve));
    socket.write(head);
    const response = await asked;
    const { socket: served } = response.req;
    for (let passed = 0; passed < 3; passed += 1) look(served);
    response.end(LARGE);
    let [received, looks] = [0, 0];
    for await (const bytes of socket) {
      received += bytes.length;
      if (received > LARGE.length) break;
      if (looks === 2 || received < (looks + 1) * PART) continue;
      look(served);
      looks += 1;
    }
    expect([received > LARGE.length, looks]).to.deep.equal([true, 2]);
  });
});
