import { randomUUID } from 'node:crypto';
import { makeSeal } from '../../platform/seal.ts';
import type { Outcome } from '../../queues/contract/failure.ts';
import { type BackendOptions, openBackend } from '../../queues/transport/backend.ts';
import { followCancellations } from '../../queues/transport/cancellations.ts';
import { type ConsumerOptions, type Job, makeConsumer } from '../../queues/transport/consumer.ts';
import { makeDispatcher } from '../../queues/transport/dispatcher.ts';
import type { QueueProgress } from '../../queues/transport/progress.ts';
import type { Request } from '../../queues/transport/request.ts';
import { makeQueueStore } from '../support/queue-store.ts';

type Answer = (run: Job) => Promise<Outcome<unknown>>;

/** Both sides of one queue in this process. */
export interface JoinedPair {
  readonly bugs: unknown[];
  /** Called with the id of each job that the worker side is told to cancel. */
  onCancelled(listener: (jobId: string) => void): void;
  answerWith(answer: Answer): void;
  ask(body: unknown, extra?: Partial<Request> & { hostIds?: string[] }): Promise<Outcome<unknown>>;
  /** Milliseconds on the store's clock. */
  now(): number;
  progress(): Promise<QueueProgress | undefined>;
  close(): Promise<void>;
}

export interface QueuePair extends JoinedPair {
  /** The stored data of the jobs, as text. */
  storedText(): Promise<string>;
}

export interface JoinOptions {
  readonly requester: BackendOptions;
  readonly worker: BackendOptions;
  /** The key of the worker, if it differs. */
  readonly workerKey?: string;
  readonly timeoutMs: number;
  readonly concurrency: number;
}

export const PAIR_KEY = 'the secret key of all these tests together';

export async function openQueuePair({
  timeoutMs,
  concurrency = 64,
}: {
  timeoutMs: number;
  concurrency?: number;
}): Promise<QueuePair> {
  const store = await makeQueueStore();
  const side = { ...store, onError: () => {} };
  const pair = await joinPair({ requester: side, worker: side, timeoutMs, concurrency });
  return { ...pair, storedText: store.storedText, close: () => pair.close().then(store.drop) };
}

export async function joinPair(options: JoinOptions): Promise<JoinedPair> {
  const { timeoutMs, concurrency, workerKey = PAIR_KEY } = options;
  const [here, there] = await Promise.all([openBackend(options.requester), openBackend(options.worker)]);
  const bugs: unknown[] = [];
  let answer: Answer = async () => ({ code: 200, data: {} });
  const work: ConsumerOptions = {
    backend: there,
    seal: makeSeal(workerKey),
    queue: 'turns',
    concurrency,
    handle: run => answer(run),
    storeOutcome: async () => {},
    onError: () => {},
    onUnreadable: error => bugs.push(error),
    onBug: error => bugs.push(error),
  };
  const dispatcher = await makeDispatcher(here, makeSeal(PAIR_KEY), ['turns']);
  const consumer = await makeConsumer(work);
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
    progress: async () => (await dispatcher.progress(timeoutMs))[0],
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
    },
  };
}
