import { LRUCache } from 'lru-cache';
import { repeat } from '../../platform/repeat.ts';
import { type Backend, closePart } from './backend.ts';
import { MAX_TIME_LIMIT_MS } from './job-limits.ts';

/*
 * Tells workers to cancel a job because its client disconnected. Broadcasts on the event stream of a separate queue
 * without jobs: on the stream of a work queue, the limit for these events would trim its completion events.
 */

const CONTROL_QUEUE = 'control';
/** Events kept by the store, so that a worker that starts or reconnects later still gets them. */
const MAX_STORED_EVENTS = 2_000;
const RESEND_EVERY_MS = 200;

export interface Cancellations {
  /** If the store is down, the event is sent when it is back, before the workers start the jobs that they find there. */
  publish(jobId: string): Promise<void>;
  close(): Promise<void>;
}

/** For the API. */
export async function openCancellations(backend: Backend): Promise<Cancellations> {
  const producer = backend.makeEventsProducer(CONTROL_QUEUE);
  await producer.waitUntilReady();
  const unsent = new LRUCache<string, true>({ max: 10_000, ttl: MAX_TIME_LIMIT_MS });
  const publish = async (jobId: string) => {
    await producer.publishEvent({ eventName: 'cancel', jobId }, MAX_STORED_EVENTS);
    unsent.delete(jobId);
  };
  const resend = async () => {
    if (unsent.size === 0 || !backend.isReady()) return;
    // Sequentially: listeners on PostgreSQL miss some of the events that are written concurrently.
    for (const jobId of [...unsent.keys()].toReversed()) await publish(jobId).catch(() => undefined);
  };
  const closing = new AbortController();
  void repeat(resend, { everyMs: RESEND_EVERY_MS, signal: closing.signal, onError: () => {} });
  return {
    async publish(jobId) {
      unsent.set(jobId, true);
      // If there are others, the store had an outage, and `resend` publishes all of them in order.
      if (backend.isReady() && unsent.size === 1) await publish(jobId).catch(() => undefined);
    },
    async close() {
      closing.abort();
      await closePart(producer);
    },
  };
}

/** For the workers: passes cancellations to the consumers of this process. */
export async function followCancellations(
  backend: Backend,
  consumers: readonly { cancel(jobId: string): void }[],
): Promise<{ close(): Promise<void> }> {
  const events = backend.makeEvents(CONTROL_QUEUE, { fromStart: true });
  events.on('cancel' as 'completed', ({ jobId }) => {
    for (const consumer of consumers) consumer.cancel(jobId);
  });
  await events.waitUntilReady();
  return { close: () => closePart(events) };
}
