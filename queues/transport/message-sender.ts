import { MAX_BATCHED } from './batch-calls.ts';
import type { QueueCalls, RequesterMessage } from './queue-calls.ts';

/** What waits beyond this is dropped: pieces of answers are hints, and a store that is away must not fill the memory. */
const MAX_WAITING = 1_000;

/**
 * Sends messages about running jobs in their order: one call at a time, with all that was added meanwhile. So a hundred
 * answers that are written at once cost the store no more calls than one.
 */
export function makeMessageSender(
  calls: Pick<QueueCalls, 'sendMessages'>,
): (message: RequesterMessage) => void {
  const waiting: RequesterMessage[] = [];
  let isSending = false;

  async function sendAll(): Promise<void> {
    while (waiting.length > 0)
      await calls.sendMessages(waiting.splice(0, MAX_BATCHED)).catch(() => undefined);
    isSending = false;
  }

  return message => {
    if (waiting.length < MAX_WAITING) waiting.push(message);
    if (isSending) return;
    isSending = true;
    setImmediate(() => void sendAll());
  };
}
