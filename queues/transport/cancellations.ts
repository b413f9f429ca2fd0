import { LRUCache } from 'lru-cache';
import { withinMs } from '../../platform/link-signals.ts';
import { repeat } from '../../platform/repeat.ts';
import { CLOSE_PART_WITHIN_MS } from '../../platform/shutdown-limits.ts';
import { type Backend, closePart, waitForPart } from './backend.ts';
import { MAX_TIME_LIMIT_MS } from './job-limits.ts';

/*
 * Workers learn that the client of a job has disconnected, and cancel it. The events go to the stream of a separate queue without
 * jobs: on the stream of a work queue, their limit would trim its completion events.
 */

const CONTROL_QUEUE = 'control';
/** Events kept by the store, so that a worker that starts or reconnects later still gets them. */
const MAX_STORED_EVENTS = 2_000;
/** An event of an older process has one id in this field; ours have several, separated by commas. */
const MAX_IDS_PER_EVENT = 200;
const RESEND_EVERY_MS = 200;

export interface Cancellations {
  /** If the store is down, the event is sent when it is back, before the workers start the jobs that they find there. */
  publish(jobId: string): void;
  close(): Promise<void>;
}

export async function openCancellations(backend: Backend): Promise<Cancellations> {
  const producer = backend.makeEventsProducer(CONTROL_QUEUE);
  await waitForPart(producer);
  const unsent = new LRUCache<string, true>({ max: 10_000, ttl: MAX_TIME_LIMIT_MS });
  const sendUnsent = async () => {
    // The oldest first.
    for (let ids = oldestOf(unsent); ids.length > 0; ids = oldestOf(unsent)) {
      // Many ids go in one event: an outage refuses all requests, and workers wait only a few seconds for the cancellations.
      await producer.publishEvent({ eventName: 'cancel', jobId: ids.join() }, MAX_STORED_EVENTS);
      for (const id of ids) unsent.delete(id);
    }
  };
  let sending: Promise<void> | undefined;
  const send = async () => {
    if (!backend.isReady()) return;
    sending ??= sendUnsent().finally(() => (sending = undefined));
    await sending;
  };
  const closing = new AbortController();
  void repeat(send, { everyMs: RESEND_EVERY_MS, signal: closing.signal, onError: () => {} });
  return {
    publish(jobId) {
      unsent.set(jobId, true);
      void send().catch(() => undefined);
    },
    async close() {
      // Requests that are refused because the process ends are cancelled, too.
      await withinMs(send(), CLOSE_PART_WITHIN_MS).catch(() => undefined);
      closing.abort();
      await closePart(producer);
    },
  };
}

function oldestOf(unsent: LRUCache<string, true>): string[] {
  return [...unsent.rkeys()].slice(0, MAX_IDS_PER_EVENT);
}

/** Passes cancellations to the consumers of this worker process. */
export async function followCancellations(
  backend: Backend,
  consumers: readonly { cancel(jobId: string): void }[],
): Promise<{ close(): Promise<void> }> {
  const events = backend.makeEvents(CONTROL_QUEUE);
  events.on('cancel' as 'completed', ({ jobId: ids }) => {
    for (const jobId of ids.split(',')) for (const consumer of consumers) consumer.cancel(jobId);
  });
  await waitForPart(events);
  return { close: () => closePart(events) };
}
