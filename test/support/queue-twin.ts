import type { IQueueBackend } from 'bullmq';
import { Redis } from 'ioredis';
import { type Backend, openBackend } from '../../queues/transport/backend.ts';
import { FINISHED_JOB_SECONDS, jobOptions } from '../../queues/transport/job-limits.ts';
import type { ParleyQueue, ParleyWorker } from '../../queues/transport/parts.ts';
import type { JobData } from '../../queues/transport/store.ts';
import { type QueueKeys, readQueueKeys } from './queue-keys.ts';

/** A job that a twin has taken and not ended. */
export interface HeldJob {
  readonly id: string;
  readonly token: string;
  readonly data: JobData;
  readonly isDoomed: boolean;
}

const RENEWED_MS = 60_000;

type Failing = Parameters<IQueueBackend['moveToFailed']>[0];

/** One queue and its worker, whose every step a test takes by hand: through BullMQ's scripts or through ours. */
export class QueueTwin {
  readonly redis: Redis;
  readonly #backend: Backend;
  readonly queue: ParleyQueue;
  readonly #worker: ParleyWorker;
  /** By id; a job whose lock was lost may be held twice. */
  readonly held: HeldJob[] = [];
  #tokens = 0;

  static async open(redisUrl: string, isGathered: boolean): Promise<QueueTwin> {
    const options = { redisUrl, databaseUrl: '', onError: () => {}, isGathered: () => isGathered };
    const twin = new QueueTwin(redisUrl, await openBackend(options));
    await Promise.all([twin.queue.waitUntilReady(), twin.#worker.waitUntilReady()]);
    return twin;
  }

  private constructor(redisUrl: string, backend: Backend) {
    this.redis = new Redis(redisUrl);
    this.#backend = backend;
    this.queue = backend.makeQueue('turns');
    // Without a processor it takes nothing by itself.
    this.#worker = backend.makeWorker('turns', null, 1);
  }

  /** All of one turn of the event loop. */
  async add(jobs: readonly { id: string; data: JobData }[]): Promise<void> {
    const backend = this.queue.getBackend();
    const add = ({ id, data }: { id: string; data: JobData }) =>
      backend.addJob(
        { id, name: 'reason', data: JSON.stringify(data), opts: jobOptions, timestamp: 1_000 } as never,
        id,
      );
    await Promise.all(jobs.map(add));
  }

  async take(count: number): Promise<void> {
    this.#worker.concurrency = this.held.length + count;
    const before = this.held.length;
    // After the last job of a queue ours skips a take, which BullMQ makes in vain.
    for (let at = 0; at < count + 1 && this.held.length < before + count; at += 1) {
      const token = this.#nextToken();
      this.#hold(await this.#calls.moveToActive(token), token);
    }
  }

  /** All of one turn of the event loop. Returns what each was refused with. */
  async complete(jobs: readonly HeldJob[], wantsNext: boolean): Promise<(string | undefined)[]> {
    const complete = async (job: HeldJob) => {
      const { id, data, token } = job;
      const bare = { id, data, opts: jobOptions };
      const keep = jobOptions.removeOnComplete;
      const reply = { code: 200, sealed: `reply to ${id}` };
      return this.#calls.moveToCompleted(bare as never, reply, keep, token, wantsNext);
    };
    return this.#end(jobs, complete);
  }

  async fail(job: HeldJob): Promise<(string | undefined)[]> {
    return this.#end([job], async ({ id, data, token }) => this.#fail({ id, data, token }));
  }

  /** Returns whose lock is gone. */
  async renewLocks(): Promise<string[]> {
    const [ids, tokens] = [this.held.map(({ id }) => id), this.held.map(({ token }) => token)];
    return ids.length === 0 ? [] : this.#calls.extendLocks(ids, tokens, RENEWED_MS);
  }

  /** Without a step of a worker: so that no lock expires in one twin just before it does in the other. */
  async prolongLocks(): Promise<void> {
    const keys = this.held.map(({ id }) => this.queue.toKey(`${id}:lock`));
    await Promise.all(keys.map(key => this.redis.pexpire(key, RENEWED_MS)));
  }

  /** What has woken the worker is used up. */
  async wake(count: number): Promise<void> {
    await this.redis.del(this.queue.toKey('marker'));
    await this.take(count);
  }

  async loseLock({ id }: HeldJob): Promise<void> {
    await this.redis.del(this.queue.toKey(`${id}:lock`));
  }

  async checkStalled(): Promise<string[]> {
    await this.redis.del(this.queue.toKey('stalled-check'));
    return (await this.#calls.moveStalledJobsToWait()).toSorted();
  }

  /** As if the retention of all completed jobs had passed. */
  async age(): Promise<void> {
    const key = this.queue.toKey('completed');
    const old = Date.now() - 2 * FINISHED_JOB_SECONDS * 1_000;
    for (const id of await this.redis.zrange(key, '0', '-1')) await this.redis.zadd(key, old, id);
  }

  keys(): Promise<QueueKeys> {
    return readQueueKeys(this.redis);
  }

  async close(): Promise<void> {
    await Promise.all([this.#worker.close(), this.queue.close()]);
    await this.#backend.close();
    this.redis.disconnect();
  }

  get #calls(): IQueueBackend {
    return this.#worker.getBackend();
  }

  #nextToken(): string {
    this.#tokens += 1;
    return `token:${this.#tokens}`;
  }

  #hold(fetched: readonly unknown[], token: string): void {
    const [job, id] = fetched as [{ data: string; deferredFailure?: string } | null, string | null];
    if (!job || !id) return;
    const isDoomed = job.deferredFailure !== undefined;
    this.held.push({ id, token, data: JSON.parse(job.data) as JobData, isDoomed });
    this.held.sort((a, b) => a.id.localeCompare(b.id));
  }

  #fail({ id, data, token }: Pick<HeldJob, 'id' | 'data' | 'token'>) {
    const bare = { id, data, opts: jobOptions } as unknown as Failing;
    const fields = { failedReason: 'bug', stacktrace: '[]' };
    return this.#calls.moveToFailed(bare, 'bug', jobOptions.removeOnFail, token, false, fields);
  }

  /** As BullMQ's worker does: a job that cannot be completed is failed; the next one has the token of the last. */
  async #end(
    jobs: readonly HeldJob[],
    end: (job: HeldJob) => Promise<{ result: unknown }>,
  ): Promise<(string | undefined)[]> {
    for (const job of jobs) this.held.splice(this.held.indexOf(job), 1);
    this.#worker.concurrency = Math.max(this.held.length + jobs.length, 1);
    const endOne = async (job: HeldJob) => {
      try {
        const { result } = await end(job);
        return { refusal: undefined, hold: () => this.#hold((result ?? []) as unknown[], job.token) };
      } catch (error) {
        await this.#fail(job).catch(() => undefined);
        // Of several, BullMQ's script may take one again before its older run is refused: then with another reason.
        return { refusal: jobs.length === 1 ? (error as Error).message : 'refused', hold: () => {} };
      }
    };
    const ended = await Promise.all(jobs.map(endOne));
    for (const { hold } of ended) hold();
    return ended.map(({ refusal }) => refusal);
  }
}
