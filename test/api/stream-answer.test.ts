import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTick } from 'node:timers/promises';
import { expect } from 'chai';
import type { Ctx } from '../../api/context.ts';
import { streamAnswer } from '../../api/replies/stream-answer.ts';
import type { Request } from '../../queues/transport/request.ts';
import { openConnection } from '../support/raw-connection.ts';

describe('a stream that has ended', () => {
  it('ignores pieces that come after the reply, also of a newer version', async () => {
    const server = createServer((_request, response) => void answer(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    let onPiece: Request['onPiece'];
    const errors: unknown[] = [];
    async function answer(res: ServerResponse): Promise<void> {
      res.on('error', error => errors.push(error));
      await streamAnswer(
        { res, state: { requestId: 'r' } } as unknown as Ctx,
        { body: {} } as Request,
        async request => {
          onPiece = request.onPiece;
          onPiece?.({ version: 1, at: 0, text: 'Vou ver.' });
          return { code: 200, data: { assistantResponse: { string: 'Pronto.' } } };
        },
      );
      onPiece?.({ version: 2, at: 0, text: 'Pronto.' });
    }
    const { port } = server.address() as AddressInfo;
    const text = await (await fetch(`http://127.0.0.1:${port}`)).text();
    expect(text.match(/event: \w+/g)).to.deep.equal(['event: delta', 'event: replace', 'event: answer']);
    expect(errors).to.deep.equal([]);
    server.close();
  });
});

describe('a stream that its client does not read', () => {
  it('is held in memory as its last text, however much was written, and is whole at the end', async () => {
    const TEXT_BYTES = 100_000;
    const text = 'x'.repeat(TEXT_BYTES);
    let held = 0;
    let answered = () => {};
    const isAnswered = new Promise<void>(resolve => (answered = resolve));
    const server = createServer((_request, response) => void answer(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    async function answer(res: ServerResponse): Promise<void> {
      await streamAnswer(
        { res, state: { requestId: 'r' } } as unknown as Ctx,
        { body: {} } as Request,
        async ({ onPiece }) => {
          // More than the buffers of two sockets take.
          for (let version = 1; version <= 300; version += 1) {
            for (let at = 0; at < TEXT_BYTES; at += 1_000)
              onPiece?.({ version, at, text: text.slice(at, at + 1_000) });
            held = Math.max(held, res.writableLength);
            await nextTick();
          }
          expect(res.writableNeedDrain).to.equal(true);
          return { code: 200, data: { assistantResponse: { string: 'Pronto.' } } };
        },
      );
      held = Math.max(held, res.writableLength);
      answered();
    }
    const { port } = server.address() as AddressInfo;
    const client = await openConnection(`http://127.0.0.1:${port}`);
    client.socket.pause().write('GET / HTTP/1.0\r\n\r\n');
    await isAnswered;
    expect(held).to.be.below(2 * TEXT_BYTES);
    client.socket.resume();
    await client.closed;
    const events = client.read().split('\n\n').slice(0, -1);
    expect(events.at(-2)).to.equal('event: replace\ndata: {"text":"Pronto."}');
    expect(events.at(-1)).to.match(/^event: answer\n/);
    server.close();
  });
});
