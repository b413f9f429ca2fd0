import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { openConnection } from '../support/raw-connection.ts';
import { openOwnService, PUBLIC } from '../support/service.ts';

const ENDLESS = 10_000_000_000;

describe('a body without end', () => {
  const service = openOwnService({ requestTimeoutMs: 60_000 });

  /** Writes the bytes again and again until the connection is closed; returns the response and how often it wrote. */
  const flood = async (token: string, encoding: string, bytes: Buffer) => {
    const { socket, read, closed } = await openConnection(service.baseURL);
    const head = [
      `POST ${PUBLIC}/createConversationId HTTP/1.1`,
      'Host: parley',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Encoding: ${encoding}`,
      `Content-Length: ${ENDLESS}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    while (!socket.closed)
      if (!socket.write(bytes)) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
    return read();
  };

  it('is read up to 16 MiB after it was refused, and then its connection is closed', async () => {
    expect(await flood('nobody', 'identity', Buffer.alloc(65_536, 'x'))).to.match(/^HTTP\/1\.1 401 /);
  });

  it('is a 413 where it unpacks to nothing', async () => {
    const members = Buffer.concat(Array.from({ length: 2_000 }, () => gzipSync('')));
    expect(await flood(service.demo.token, 'gzip', members)).to.match(/^HTTP\/1\.1 413 /);
  });
});
