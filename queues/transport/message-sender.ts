import { batchCalls, upTo } from '../../platform/batch.ts';
import { MAX_BATCHED, type QueueCalls, type RequesterMessage } from './queue-calls.ts';

/** What waits beyond this is dropped: pieces of answers are hints, and a store that is away must not fill the memory. */
const MAX_WAITING = 1_000;

/**
 * Sends messages about running jobs in their order: one call at a time, with all that was added meanwhile. So a hundred
 * answers that are written at once cost the store no more calls than one.
 */
export function makeMessageSender(
  calls: Pick<QueueCalls, 'sendMessages'>,
): (message: RequesterMessage) => void {
  let waiting = 0;
  const send = batchCalls({
    startBatch: upTo<RequesterMessage>(MAX_BATCHED),
    async makeCalls(messages) {
      waiting -= messages.length;
      await calls.sendMessages(messages).catch(() => undefined);
      return [];
    },
  });
  return message => {
    if (waiting >= MAX_WAITING) return;
    waiting += 1;
    void send(message);
  };
}
