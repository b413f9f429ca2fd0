import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { openEach } from '../support/opened.ts';
import { addressOf } from '../support/operation-calls.ts';
import { openConnection, type RawConnection } from '../support/raw-connection.ts';
import { borrowService } from '../support/service.ts';

const MIB = 1_048_576;
/** More than one host can hold, whatever memory this machine has. */
const MANY = 80;
const MANY_DOCUMENTS = 13;

describe('bodies that are not read to their end', () => {
  const open: RawConnection[] = [];
  afterEach(async () => {
    for (const { socket } of open) socket.destroy();
    await Promise.all(open.splice(0).map(({ closed }) => closed));
  });
  const service = openEach(borrowService);
  const { demo, acme } = service;

  /** Sends the head and the first byte of a body; resolves with the status if it is refused before it is read. */
  const begin = async (path: string, token: string, length: string) => {
    const connection = await openConnection(service.baseURL);
    open.push(connection);
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: parley',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      length,
    ];
    connection.socket.write(`${head.join('\r\n')}\r\n\r\n1\r\n{`);
    return connection;
  };
  /** An answer to a later request tells that the earlier ones were looked at. */
  const lookAgain = () => demo.call('createConversation', {}, { token: 'nobody' });
  /** Until one is refused; returns its answer. */
  const fill = async (path: string, token: string, length: string) => {
    for (let at = 0; at < MANY; at += 1) {
      await begin(path, token, length);
      await lookAgain();
      const refused = open.map(({ read }) => read()).find(Boolean);
      if (refused) return { refused, after: at };
    }
    return { refused: '', after: MANY };
  };
  const fillWithDocuments = async () => {
    for (let at = 0; at < MANY_DOCUMENTS; at += 1) {
      const token = await service.makeToken({ hostIds: [demo.hostId] });
      await begin(addressOf('importDocument'), token, `Content-Length: ${20 * MIB}`);
    }
    await lookAgain();
  };
  const converse = () => acme.call('createConversation');

  it('with a document wait for room beyond the part of their host, whichever of its tokens sends them', async () => {
    await fillWithDocuments();
    const content_base64 = Buffer.alloc(4 * MIB, 'a').toString('base64');
    const document = { name: 'x', content_type: 'text/plain', content_base64 };
    const waiting = demo.call('importDocument', { dataset_id: randomUUID(), ...document });
    expect(await Promise.race([waiting, converse()])).to.have.nested.property('body.data.conversationId');
    for (const { socket } of open) socket.destroy();
    // The dataset is unknown.
    expect((await waiting).status).to.equal(404);
  });

  it('make a read that may be large wait until there is room', async () => {
    await fillWithDocuments();
    const reading = demo.call('readChunks', { avatar_id: randomUUID(), dataset_ids: [randomUUID()] });
    expect(await Promise.race([reading, converse()])).to.have.nested.property('body.data.conversationId');
    for (const { socket } of open) socket.destroy();
    // The avatar is unknown.
    expect((await reading).status).to.equal(404);
  });

  it('are counted as the largest that they may become where they do not tell their length', async () => {
    const path = addressOf('createConversation');
    const { refused, after } = await fill(path, demo.token, 'Transfer-Encoding: chunked');
    expect(refused).to.match(/^HTTP\/1\.1 503 /);
    expect(after).to.be.within(4, 70);
    expect((await converse()).status).to.equal(200);
  });
});
