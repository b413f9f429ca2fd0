import type { Backend } from './backend.ts';

/*
 * How a worker hears that nobody waits for a job any more. All of them are told, on the event stream of a queue that has
 * no jobs: on a work queue's own stream the library's limit for these events would cut off that queue's completions.
 */

const CONTROL_QUEUE = 'control';

export interface Cancellations {
  /** Best effort: a worker that does not hear of it works in vain, until the deadline at the latest. */
  tell(jobId: string): Promise<void>;
  close(): Promise<void>;
}

/** The api's side. */
export async function openCancellations(backend: Backend): Promise<Cancellations> {
  const producer = backend.makeEventsProducer(CONTROL_QUEUE);
  await producer.waitUntilReady();
  return {
    async tell(jobId) {
      await producer.publishEvent({ eventName: 'cancel', jobId }).catch(() => undefined);
    },
    close: () => producer.close(),
  };
}

/** The workers' side: brings what is told to the consumers of this process. */
export async function followCancellations(
  backend: Backend,
  consumers: readonly { cancel(jobId: string): void }[],
): Promise<{ close(): Promise<void> }> {
  const events = backend.makeEvents(CONTROL_QUEUE);
  events.on('cancel' as 'completed', ({ jobId }) => {
    for (const consumer of consumers) consumer.cancel(jobId);
  });
  await events.waitUntilReady();
  return { close: () => events.close() };
}
