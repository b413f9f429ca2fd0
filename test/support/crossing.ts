import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';
import { readConfig } from '../../config.ts';
import { type Backend, migrateQueues, openBackend } from '../../queues/backend.ts';
import { type ConsumerOptions, followCancellations, makeConsumer, type Run } from '../../queues/consumer.ts';
import { type Asked, makeDispatcher } from '../../queues/dispatcher.ts';
import type { Outcome } from '../../queues/failure.ts';
import { makeSeal } from '../../queues/seal.ts';
import { makeDatabase, type Template } from './database.ts';

const REDIS_DATABASES = 16;

type Answer = (run: Run) => Promise<Outcome<unknown>>;

/** Both sides of one queue in this process, over whichever store the settings name. */
export interface Crossing {
  readonly bugs: unknown[];
  /** Called with each job id that the worker's side was told to cancel. */
  onCancelled(listener: (jobId: string) => void): void;
  answerWith(answer: Answer): void;
  ask(body: unknown, extra?: Partial<Asked> & { hostIds?: string[] }): Promise<Outcome<unknown>>;
  /** Milliseconds on the store's clock. */
  now(): number;
  /** All that the store holds of the jobs, as text. */
  storedText(): Promise<string>;
  close(): Promise<void>;
}

export interface QueueStore {
  readonly redisUrl: string | undefined;
  readonly databaseUrl: string;
  storedText(): Promise<string>;
  drop(): Promise<void>;
}

let storesMade = 0;

/** An empty queue store: a database of the Redis at REDIS_URL when that is set, else one of PostgreSQL. */
export async function makeQueueStore(template: Template = 'migrated'): Promise<QueueStore> {
  const given = readConfig().redisUrl;
  const { url: databaseUrl, drop } = await makeDatabase(template);
  if (given === undefined) {
    await migrateQueues(databaseUrl);
    return { redisUrl: given, databaseUrl, storedText: () => textOfPostgres(databaseUrl), drop };
  }
  storesMade += 1;
  const redisUrl = new URL(`/${storesMade % REDIS_DATABASES}`, given).href;
  const redis = new Redis(redisUrl);
  await redis.flushdb();
  redis.disconnect();
  return { redisUrl, databaseUrl, storedText: () => textOfRedis(redisUrl), drop };
}

export async function openCrossing({
  timeoutMs,
  concurrency = 64,
}: {
  timeoutMs: number;
  concurrency?: number;
}): Promise<Crossing> {
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
    answer: run => answer(run),
    settle: async () => {},
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
        gone: new AbortController().signal,
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

async function textOfPostgres(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    'select job::text, (select json_agg(e) from bullmq.event e)::text from bullmq.job',
  );
  await client.end();
  return JSON.stringify(rows);
}

async function textOfRedis(url: string): Promise<string> {
  const redis = new Redis(url);
  const keys = await redis.keys('*');
  const read = async (key: string) => {
    const type = await redis.type(key);
    if (type === 'hash') return redis.hgetall(key);
    if (type === 'stream') return redis.xrange(key, '-', '+');
    return type === 'string' ? redis.get(key) : type;
  };
  const values = await Promise.all(keys.map(async key => [key, await read(key)]));
  redis.disconnect();
  return JSON.stringify(values);
}
