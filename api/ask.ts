import { Gate } from '../platform/gate.ts';
import { failure, type Outcome } from '../queues/contract/failure.ts';
import { queues } from '../queues/contract/queues.ts';
import type { Dispatcher } from '../queues/transport/dispatcher.ts';
import type { JobRequest } from '../queues/transport/queued-job.ts';

export type Ask = (request: JobRequest) => Promise<Outcome<unknown>>;

/** More would only lengthen the queue for other tokens: their jobs take milliseconds, and a worker computes a few at a time. */
const MAX_IN_FLIGHT = 16;

/**
 * Asks a worker. Queues without a fair order are first come, first served, so of each token only so many requests are in
 * them at a time, and its others wait here.
 */
export function makeAsk(dispatcher: Pick<Dispatcher, 'ask'>): Ask {
  const gate = new Gate({ maxTotal: Number.POSITIVE_INFINITY, maxPerKey: MAX_IN_FLIGHT });
  return async request => {
    if (queues[request.queue].isFair) return dispatcher.ask(request);
    return gate.run({ key: request.caller.tokenId }, () =>
      // Its client may have disconnected while it waited.
      request.clientGone.aborted ? failure('interrupted') : dispatcher.ask(request),
    );
  };
}
