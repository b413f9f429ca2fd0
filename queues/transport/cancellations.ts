import { LRUCache } from 'lru-cache';
import type { Backend } from './backend.ts';

/*
 * How a worker hears that nobody waits for a job any more. All of them are told, on the event stream of a queue that has
 * no jobs: on a work queue's own stream the library's limit for these events would cut off that queue's completions.
 */

const CONTROL_QUEUE = 'control';
/** Those that the store keeps: a worker that comes later, or back, still hears of them. */
const MAX_STORED_EVENTS = 2_000;
const RESEND_EVERY_MS = 200;
/** As long as a job may wait at most. */
const UNSENT_TTL_MS = 600_000;

export interface Cancellations {
  /** What the store does not take now it is told when it takes something again, before the workers begin what they find there. */
  publish(jobId: string): Promise<void>;
  close(): Promise<void>;
}

/** The api's side. */
export async function openCancellations(backend: Backend): Promise<Cancellations> {
  const producer = backend.makeEventsProducer(CONTROL_QUEUE);
  await producer.waitUntilReady();
  const unsent = new LRUCache<string, true>({ max: 10_000, ttl: UNSENT_TTL_MS });
  const publish = async (jobId: string) => {
    await producer.publishEvent({ eventName: 'cancel', jobId }, MAX_STORED_EVENTS);
    unsent.delete(jobId);
  };
  let isSending = false;
  const resend = async () => {
    if (isSending || unsent.size === 0 || !backend.isReady()) return;
    isSending = true;
    // One after the other: of events that are written side by side, listeners on PostgreSQL miss some.
    for (const jobId of [...unsent.keys()].toReversed()) await publish(jobId).catch(() => undefined);
    isSending = false;
  };
  const timer = setInterval(() => void resend(), RESEND_EVERY_MS).unref();
  return {
    async publish(jobId) {
      unsent.set(jobId, true);
      // More than one: the store is in trouble, and what it did not take is told in order.
      if (backend.isReady() && unsent.size === 1) await publish(jobId).catch(() => undefined);
    },
    async close() {
      clearInterval(timer);
      await producer.close();
    },
  };
}

/** The workers' side: brings what is told to the consumers of this process. */
export async function followCancellations(
  backend: Backend,
  consumers: readonly { cancel(jobId: string): void }[],
): Promise<{ close(): Promise<void> }> {
  const events = backend.makeEvents(CONTROL_QUEUE, { fromStart: true });
  events.on('cancel' as 'completed', ({ jobId }) => {
    for (const consumer of consumers) consumer.cancel(jobId);
  });
  await events.waitUntilReady();
  return { close: () => events.close() };
}
