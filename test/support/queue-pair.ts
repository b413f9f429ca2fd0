import { randomUUID } from 'node:crypto';
import { makeSeal } from '../../platform/seal.ts';
import type { Outcome } from '../../queues/contract/failure.ts';
import { type Backend, openBackend } from '../../queues/transport/backend.ts';
import { followCancellations } from '../../queues/transport/cancellations.ts';
import { type ConsumerOptions, type JobRun, makeConsumer } from '../../queues/transport/consumer.ts';
import { makeDispatcher } from '../../queues/transport/dispatcher.ts';
import type { JobRequest } from '../../queues/transport/queued-job.ts';
import { makeQueueStore } from './queue-store.ts';

type Answer = (run: JobRun) => Promise<Outcome<unknown>>;

/** Both sides of one queue in this process, on the store of the settings. */
export interface QueuePair {
  readonly bugs: unknown[];
  /** Called with the id of each job that the worker side is told to cancel. */
  onCancelled(listener: (jobId: string) => void): void;
  answerWith(answer: Answer): void;
  ask(body: unknown, extra?: Partial<JobRequest> & { hostIds?: string[] }): Promise<Outcome<unknown>>;
  /** Milliseconds on the store's clock. */
  now(): number;
  /** The stored data of the jobs, as text. */
  storedText(): Promise<string>;
  close(): Promise<void>;
}

export async function openQueuePair({
  timeoutMs,
  concurrency = 64,
}: {
  timeoutMs: number;
  concurrency?: number;
}): Promise<QueuePair> {
  const store = await makeQueueStore();
  const onError = () => {};
  const open = (): Promise<Backend> => openBackend({ ...store, onError });
  const [here, there] = await Promise.all([open(), open()]);
  const seal = makeSeal('the secret key of all these tests together');
  const bugs: unknown[] = [];
  let answer: Answer = async () => ({ code: 200, data: {} });
  const options: ConsumerOptions = {
    backend: there,
    seal,
    queue: 'turns',
    concurrency,
    handle: run => answer(run),
    storeOutcome: async () => {},
    onError: () => {},
    onUnreadable: error => bugs.push(error),
    onBug: error => bugs.push(error),
  };
  const dispatcher = await makeDispatcher(here, seal, ['turns']);
  const consumer = await makeConsumer(options);
  let cancelled = (_jobId: string) => {};
  const told = (jobId: string) => {
    consumer.cancel(jobId);
    cancelled(jobId);
  };
  const cancellations = await followCancellations(there, [{ ...consumer, cancel: told }]);
  return {
    bugs,
    onCancelled: listener => (cancelled = listener),
    answerWith: given => (answer = given),
    now: here.now,
    storedText: store.storedText,
    ask: (body, { hostIds = ['host'], ...extra } = {}) =>
      dispatcher.ask({
        operation: 'reason',
        queue: 'turns',
        requestId: randomUUID(),
        arrivedAt: here.now(),
        timeoutMs,
        caller: { tokenId: 't', tokenName: 't', scopes: [], hostIds },
        body,
        clientGone: new AbortController().signal,
        ...extra,
      }),
    async close() {
      await dispatcher.close();
      await consumer.close(0);
      await cancellations.close();
      await Promise.all([here.close(), there.close()]);
      await store.drop();
    },
  };
}
