import { type RedisQueueBackend, raw2NextJobData } from 'bullmq';
import { FINISHED_JOB_SECONDS, jobOptions } from './job-limits.ts';
import { ADD, FINISH, keyNames, TAKE } from './redis-scripts.ts';

/** Calls the scripts over the connection of a queue or worker. */
export interface RedisCalls {
  add(jobs: readonly AddedJob[]): Promise<void>;
  /** Takes up to `count` jobs. */
  take(lock: string, count: number): Promise<TakenJobs>;
  /** Completes jobs, and takes up to `count` others. */
  finish(jobs: readonly EndedJob[], lock: string, count: number): Promise<TakenJobs & { codes: number[] }>;
}

export interface AddedJob {
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly data: string;
  readonly timestamp: number;
}

export interface EndedJob {
  readonly id: string;
  readonly lock: string;
  /** JSON. */
  readonly reply: string;
  readonly replyTo: string;
  /** JSON that replaces the data of the job; empty: it stays. */
  readonly data: string;
}

export interface TakenJob {
  readonly id: string;
  readonly lock: string;
  /** The job as BullMQ's `moveToActive` returns it. */
  readonly fetched: readonly unknown[];
}

export interface TakenJobs {
  readonly jobs: readonly TakenJob[];
  /** How many jobs still wait; undefined: the queue has features that only BullMQ's own scripts know. */
  readonly waiting: number | undefined;
}

export interface CallOptions {
  readonly lockMs: number;
  /** See `redis-replies`. */
  readonly channelPrefix: string;
  /** Milliseconds on the store's clock. */
  now(): number;
}

type RawJobs = [waiting: number, jobs: [id: string, fields: string[]][]];

const scripts = { parleyAdd: ADD, parleyTake: TAKE, parleyFinish: FINISH };

export function makeRedisCalls(
  backend: RedisQueueBackend,
  { lockMs, channelPrefix, now }: CallOptions,
): RedisCalls {
  const keys = keyNames.map(name => backend.keys[name] as string);
  const prefix = backend.toKey('');
  const connected = backend.client.then(client => {
    for (const [name, lua] of Object.entries(scripts))
      client.defineCommand(name, { numberOfKeys: keys.length, lua });
    return client;
  });
  // BullMQ reports it.
  connected.catch(() => undefined);
  const run = async (name: keyof typeof scripts, values: readonly (string | number)[]): Promise<unknown> =>
    (await connected).runCommand(name, [...keys, prefix, ...values]);
  const storedOptions = JSON.stringify(jobOptions);
  return {
    async add(jobs) {
      const values = jobs.flatMap(({ id, name, data, timestamp }) => [id, name, data, timestamp]);
      await run('parleyAdd', [storedOptions, ...values]);
    },
    async take(lock, count) {
      return decodeTaken(
        (await run('parleyTake', [Math.round(now()), lockMs, lock, count])) as RawJobs,
        lock,
      );
    },
    async finish(jobs, lock, count) {
      const start = [Math.round(now()), lockMs, lock, count, FINISHED_JOB_SECONDS * 1_000, channelPrefix];
      const values = jobs.flatMap(({ id, lock, reply, replyTo, data }) => [id, lock, reply, replyTo, data]);
      const [codes, ...taken] = (await run('parleyFinish', [...start, ...values])) as [number[], ...RawJobs];
      return { codes, ...decodeTaken(taken, lock) };
    },
  };
}

function decodeTaken([waiting, jobs]: RawJobs, lock: string): TakenJobs {
  const decode = ([id, fields]: [string, string[]], at: number): TakenJob => {
    const [job, ...rest] = raw2NextJobData([fields, id, 0, 0]) as [object];
    // BullMQ renews the lock by this time, so it must be of this machine's clock; the stored one is of the store's.
    return { id, lock: `${lock}:${at + 1}`, fetched: [{ ...job, processedOn: Date.now() }, ...rest] };
  };
  return { jobs: jobs.map(decode), waiting: waiting < 0 ? undefined : waiting };
}
