import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { openConnection } from '../support/raw-connection.ts';
import { openService, PUBLIC } from '../support/service.ts';

const ONE_BYTE = '1\r\nx\r\n';

describe('a body in very small chunks', () => {
  const service = openService();
  const { demo } = service;

  const open = () => openConnection(service.baseURL);
  const head = (token: string, more: string) =>
    [
      `POST ${PUBLIC}/createConversationId HTTP/1.1`,
      'Host: parley',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      more,
      '',
      '',
    ].join('\r\n');
  const responded = async (socket: Socket, read: () => string, count = 1) => {
    while (read().split('HTTP/1.1 ').length <= count) await once(socket, 'data');
  };
  const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

  it('is a 400, and its connection is closed', async () => {
    const { socket, read, closed } = await open();
    socket.write(head(demo.token, 'Transfer-Encoding: chunked'));
    socket.write(ONE_BYTE.repeat(100_000));
    await closed;
    expect(read())
      .to.match(/^HTTP\/1\.1 400 /)
      .and.to.include('chunks that are too small');
  });

  it('is not read on after the request was refused', async () => {
    const { socket, read, closed } = await open();
    socket.write(head('nobody', 'Transfer-Encoding: chunked'));
    await responded(socket, read);
    socket.write(ONE_BYTE.repeat(100_000));
    await closed;
    expect(read()).to.match(/^HTTP\/1\.1 401 /);
  });

  it('is not read on in the second of two requests, either, that share their connection', async () => {
    const { socket, read, closed } = await open();
    const body = ONE_BYTE.repeat(800);
    for (let sent = 0; sent < 2; sent += 1)
      socket.write(`${head('nobody', 'Transfer-Encoding: chunked')}${body}0\r\n\r\n`);
    await closed;
    expect(read()).to.match(/^HTTP\/1\.1 401 /);
  });

  it('is refused sooner where many connections send them, and a body sent at once is not', async () => {
    const senders = await Promise.all(Array.from({ length: 30 }, open));
    const body = `${ONE_BYTE.repeat(900)}0\r\n\r\n`;
    for (const { socket } of senders) socket.write(head('nobody', 'Transfer-Encoding: chunked') + body);
    const other = await open();
    const small = JSON.stringify({ hostId: demo.hostId, hostSlug: demo.slug });
    other.socket.write(head(demo.token, `Content-Length: ${small.length}`) + small);
    await responded(other.socket, other.read);
    expect(other.read()).to.match(/^HTTP\/1\.1 200 /);
    const isClosed = ({ socket }: { socket: Socket }) => socket.closed;
    await eventually(
      () => senders.filter(isClosed).length,
      closed => closed > 20,
    );
    for (const { socket } of [...senders, other]) socket.destroy();
  });

  it('is no matter of a connection with many small bodies', async () => {
    const { socket, read } = await open();
    const body = JSON.stringify({ hostId: '', hostSlug: 'x' });
    const request = head('nobody', `Content-Length: ${body.length}`) + body;
    // More of them, and in less time, than a connection may send small chunks.
    for (let sent = 100; sent <= 2_000; sent += 100) {
      socket.write(request.repeat(100));
      await eventually(() => read().split('HTTP/1.1 ').length - 1, sent);
    }
    expect(read().split('HTTP/1.1 401')).to.have.length(2_001);
    socket.destroy();
  });

  it('is taken while it is short, and the connection goes on', async () => {
    const { socket, read } = await open();
    const body = JSON.stringify({ hostId: demo.hostId, hostSlug: demo.slug });
    socket.write(head(demo.token, 'Transfer-Encoding: chunked'));
    for (const letter of body) socket.write(chunked(letter));
    socket.write('0\r\n\r\n');
    await responded(socket, read);
    expect(read()).to.match(/^HTTP\/1\.1 200 /);
    socket.write(head('nobody', `Content-Length: ${body.length}`));
    await responded(socket, read, 2);
    socket.write(body);
    socket.write(head(demo.token, `Content-Length: ${body.length}`) + body);
    await responded(socket, read, 3);
    expect(read().match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 200', 'HTTP/1.1 401', 'HTTP/1.1 200']);
    socket.destroy();
  });
});
