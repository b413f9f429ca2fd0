import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import type { Ctx } from '../../api/context.ts';
import { makeGoneSignal } from '../../api/request-options.ts';

describe('the signal of a client that disconnects', () => {
  const signalOf = (response: object, destroyed = false) => {
    const res = Object.assign(new EventEmitter(), { writableFinished: false }, response);
    return makeGoneSignal({ req: { socket: { destroyed } }, res } as unknown as Ctx);
  };

  it('is aborted from the start where the client has left before', () => {
    expect(signalOf({ closed: true }).aborted).to.equal(true);
    expect(signalOf({ closed: true, writableFinished: true }).aborted).to.equal(false);
    expect(signalOf({ closed: false }).aborted).to.equal(false);
  });

  it('is so, too, for a pipelined request, whose response is not closed with the connection', () => {
    expect(signalOf({ closed: false }, true).aborted).to.equal(true);
  });
});
