import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Ctx } from '../../api/context.ts';
import { streamAnswer } from '../../api/replies/stream-answer.ts';
import type { JobRequest } from '../../queues/transport/queued-job.ts';

describe('a stream that has ended', () => {
  it('ignores pieces that come after the reply, also of a newer version', async () => {
    const server = createServer((_request, response) => void answer(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    let onPiece: JobRequest['onPiece'];
    const errors: unknown[] = [];
    async function answer(res: ServerResponse): Promise<void> {
      res.on('error', error => errors.push(error));
      await streamAnswer(
        { res, state: { requestId: 'r' } } as unknown as Ctx,
        { body: {} } as JobRequest,
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
