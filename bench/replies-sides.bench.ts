import { once } from 'node:events';
import { createPostgresBackend, type IQueueBackend, Queue, QueueEvents } from 'bullmq';
import { makeSeal } from '../platform/seal.ts';
import type { QueueName } from '../queues/contract/queues.ts';
import { openBackend } from '../queues/transport/backend.ts';
import { makeDispatcher } from '../queues/transport/dispatcher.ts';
import { FINISHED_JOB_SECONDS } from '../queues/transport/job-limits.ts';
import {
  type BenchStore,
  type Fork,
  forkReady,
  startPostgres,
  startRedis,
  stopFork,
} from './stores.bench.ts';

/**
 * The two sides that `bench/replies` compares, each with a store and a worker process of its own. Both keep finished jobs
 * equally long. Ours seals what it stores; the peer does not.
 */
export type SideName = 'peer' | 'ours';

export interface ReplyBody {
  readonly n: number;
  readonly text: string;
}

export interface Side {
  readonly store: BenchStore;
  /** Resolves to whether the right reply arrived. */
  ask(body: ReplyBody): Promise<boolean>;
  /** Milliseconds of processor time that each part has used so far. */
  processorMs(): Promise<Record<Part, number>>;
  close(): Promise<void>;
}

/** `api` is this process. */
export const parts = ['api', 'worker', 'store'] as const;
export type Part = (typeof parts)[number];

type Asker = Pick<Side, 'ask' | 'close'>;

const LOST_AFTER_MS = 20_000;

/** Options for both sides; `queue`: the queue of ours. */
export interface SideOptions {
  readonly isRedis: boolean;
  readonly key: string;
  readonly queue: QueueName;
}

export async function openSide(name: SideName, { isRedis, key, queue }: SideOptions): Promise<Side> {
  const store = isRedis ? await startRedis() : await startPostgres();
  const args = [name, store.redisUrl ?? '', store.databaseUrl, key, queue];
  const worker = await forkReady('replies-worker', args);
  const requester = name === 'ours' ? await openOurs(store, key, queue) : await openPeer(store);
  return {
    store,
    ask: requester.ask,
    processorMs: async () => ({
      api: totalMs(process.cpuUsage()),
      worker: totalMs(await readUsage(worker)),
      store: (await store.processorMs?.()) ?? 0,
    }),
    async close() {
      await requester.close();
      await stopFork(worker);
      await store.stop();
    },
  };
}

const totalMs = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000;

async function readUsage(worker: Fork): Promise<NodeJS.CpuUsage> {
  const answered = once(worker, 'message');
  worker.send('usage');
  const [usage] = (await answered) as [NodeJS.CpuUsage];
  return usage;
}

async function openOurs(
  { redisUrl, databaseUrl }: BenchStore,
  key: string,
  queue: QueueName,
): Promise<Asker> {
  const onError = (error: Error) => console.error(error.message);
  const backend = await openBackend({ redisUrl, databaseUrl, onError });
  const dispatcher = await makeDispatcher(backend, makeSeal(key), [queue]);
  const caller = { tokenId: 't', tokenName: 't', scopes: [], hostIds: ['h'] };
  return {
    async ask(body) {
      const outcome = await dispatcher.ask({
        operation: 'reason',
        queue,
        requestId: 'r',
        arrivedAt: backend.now(),
        timeoutMs: LOST_AFTER_MS,
        caller,
        body,
        clientGone: new AbortController().signal,
      });
      return outcome.code === 200 && (outcome.data as ReplyBody).n === body.n;
    },
    async close() {
      await dispatcher.close();
      await backend.close();
    },
  };
}

async function openPeer({ redisUrl, databaseUrl }: BenchStore): Promise<Asker> {
  const ignore = () => {};
  const queue = redisUrl
    ? new Queue('peer', { connection: { url: redisUrl } })
    : (new Queue('peer', { connection: databaseUrl }, createPostgresBackend) as unknown as Queue);
  const events = redisUrl
    ? new QueueEvents('peer', { connection: { url: redisUrl } })
    : (new QueueEvents<unknown, IQueueBackend, string>(
        'peer',
        { connection: databaseUrl },
        createPostgresBackend,
      ) as unknown as QueueEvents);
  queue.on('error', ignore);
  events.on('error', ignore);
  events.setMaxListeners(0);
  queue.setMaxListeners(0);
  await Promise.all([queue.waitUntilReady(), events.waitUntilReady()]);
  return {
    async ask(body) {
      const job = await queue.add('ask', body, { removeOnComplete: { age: FINISHED_JOB_SECONDS } });
      const reply = await job.waitUntilFinished(events, LOST_AFTER_MS).catch(() => undefined);
      return reply?.n === body.n;
    },
    async close() {
      await events.close();
      await queue.close();
    },
  };
}
