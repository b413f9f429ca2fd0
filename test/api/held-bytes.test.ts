import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Ctx } from '../../api/context.ts';
import { holdBytes, makeBodyHold } from '../../api/guards/held-bytes.ts';
import { ByteBudget } from '../../platform/byte-budget.ts';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';

describe('the bytes that are held for a request', () => {
  it('are none where its connection ended before, also behind another request that was pipelined', async () => {
    const budget = new ByteBudget({ max: 1_000, maxPerKey: 1_000, sure: 0 });
    const requests: [IncomingMessage, ServerResponse][] = [];
    const server = createServer((...each) => {
      if (requests.push(each) === 2) server.emit('both');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const both = once(server, 'both');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: parley\r\n\r\n'.repeat(2));
    await both;
    const ctxOf = (nth: number) => {
      const [req, res] = requests[nth] ?? [];
      return { req, res, state: {} } as unknown as Ctx;
    };
    holdBytes(ctxOf(0), budget, 100);
    expect(budget.total).to.equal(100);
    const closed = once(requests[0]?.[0].socket ?? socket, 'close');
    socket.destroy();
    await closed;
    await nextTurn();
    expect(budget.total).to.equal(0);
    holdBytes(ctxOf(1), budget, 100);
    expect(budget.total).to.equal(0);
    server.close();
  });

  it('are waited for where a request may have a recording or a document, and refuse any other at once', async () => {
    const budget = new ByteBudget({ max: 1_000, maxPerKey: 1_000, sure: 0 });
    const hold = (name: OperationName, length: number) => {
      const res = Object.assign(new EventEmitter(), { closed: false });
      const req = { headers: { 'content-length': String(length) }, socket: { destroyed: false } };
      const held = makeBodyHold(budget, operationOf(name))(
        { req, res, state: {} } as unknown as Ctx,
        async () => {
          begun.push(length);
        },
      );
      return { held, end: () => res.emit('close') };
    };
    const begun: number[] = [];
    const first = hold('reason', 900);
    const second = hold('reason', 200);
    await first.held;
    await nextTurn();
    expect(begun).to.deep.equal([900]);
    await hold('createConversation', 200).held.then(
      () => expect.fail('it was not refused'),
      (error: Error) => expect(error.message).to.match(/overloaded/),
    );
    first.end();
    await second.held;
    expect([begun, budget.total]).to.deep.equal([[900, 200], 200]);
  });
});
