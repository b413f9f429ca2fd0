import type { IQueueBackend } from 'bullmq';
import { type Backend, type BackendOptions, openBackend } from '../../queues/transport/backend.ts';
import type { HostShare } from '../../queues/transport/fair-order.ts';
import { jobOptions } from '../../queues/transport/job-limits.ts';
import type { ParleyQueue, ParleyWorker } from '../../queues/transport/parts.ts';
import type { JobData } from '../../queues/transport/store.ts';

export interface HeldJob {
  readonly id: string;
  readonly token: string;
  readonly data: JobData;
  readonly isDoomed: boolean;
  /** The job as it was given to BullMQ's worker. */
  readonly taken: object;
}

/** All that is stored of the jobs, without what differs from run to run. */
export type StoredQueue = Record<string, unknown>;

/** A test does these to the store of a twin behind the back of its worker. */
export interface TwinStore {
  readonly address: Pick<BackendOptions, 'redisUrl' | 'databaseUrl'>;
  /** So that no lock expires in one twin just before it does in the other. */
  prolongLocks(ids: readonly string[]): Promise<unknown>;
  loseLock(id: string): Promise<unknown>;
  /** Uses up what has woken the worker. */
  dropWake(): Promise<unknown>;
  /** The next stall check need not wait for the interval. */
  forgetStallCheck(): Promise<unknown>;
  /** Jobs found stalled at once get the order of their ids. */
  sortStalled(ids: readonly string[]): Promise<unknown>;
  /** As if the retention of all completed jobs had passed. */
  age(): Promise<unknown>;
  /** BullMQ's own calls take none of the jobs that wait but these, until what is returned is called. */
  hideAllBut(ids: readonly string[]): Promise<() => Promise<unknown>>;
  read(): Promise<StoredQueue>;
  close(): Promise<unknown>;
}

export const RENEWED_MS = 60_000;

interface NewJob {
  readonly id: string;
  readonly data: JobData;
  readonly hostShare?: HostShare | undefined;
}

interface TakenJob {
  readonly data: string;
  readonly processedOn?: number;
  readonly deferredFailure?: string;
}

type Failing = Parameters<IQueueBackend['moveToFailed']>[0];

/** One queue and its worker, whose every step a test takes by hand: through BullMQ's own calls or through ours. */
export class QueueTwin<Store extends TwinStore = TwinStore> {
  readonly store: Store;
  readonly #isBatched: boolean;
  readonly #backend: Backend;
  /** One with our own calls. */
  readonly #fair: Backend;
  readonly #fairQueue: ParleyQueue;
  readonly queue: ParleyQueue;
  readonly #worker: ParleyWorker;
  /** The jobs that are held; one whose lock was lost may be held twice. */
  readonly held: HeldJob[] = [];
  #tokens = 0;

  static async open<Store extends TwinStore>(store: Store, isBatched: boolean): Promise<QueueTwin<Store>> {
    const options = { ...store.address, onError: () => {} };
    const backend = await openBackend({ ...options, isBatched: () => isBatched });
    const twin = new QueueTwin(store, backend, isBatched, await openBackend(options));
    const parts = [twin.queue, twin.#worker, twin.#fairQueue];
    await Promise.all(parts.map(part => part.waitUntilReady()));
    // Written without waiting for it; a call that reads it waits.
    await twin.queue.getVersion();
    return twin;
  }

  private constructor(store: Store, backend: Backend, isBatched: boolean, fair: Backend) {
    this.store = store;
    this.#isBatched = isBatched;
    this.#backend = backend;
    this.#fair = fair;
    this.queue = backend.makeQueue('turns');
    this.#fairQueue = fair.makeQueue('turns');
    // Without a processor it takes nothing by itself.
    this.#worker = backend.makeWorker('turns', null, 1);
  }

  async add(jobs: readonly NewJob[]): Promise<void> {
    await this.#each(jobs, job => this.#add(job, jobOptions));
  }

  /** Through our own call in both. */
  async addFairly(jobs: readonly NewJob[]): Promise<void> {
    await Promise.all(jobs.map(job => this.#add(job, jobOptions, this.#fairQueue)));
  }

  /** Through BullMQ's own call in both. */
  async addWithPriority(jobs: readonly NewJob[], priority: number): Promise<void> {
    for (const job of jobs) await this.#add(job, { ...jobOptions, priority });
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

  /** As an idle worker does. */
  async waitAndTake(): Promise<void> {
    await this.#calls.waitForJob(1);
    await this.take(1);
  }

  /** Returns what each was refused with. */
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

  /** Without a step of a worker. */
  async prolongLocks(): Promise<void> {
    await this.store.prolongLocks(this.held.map(({ id }) => id));
  }

  async wake(count: number): Promise<void> {
    await this.store.dropWake();
    await this.take(count);
  }

  async loseLock({ id }: HeldJob): Promise<void> {
    await this.store.loseLock(id);
  }

  async checkStalled(): Promise<string[]> {
    await this.store.forgetStallCheck();
    const ids = (await this.#calls.moveStalledJobsToWait()).toSorted();
    await this.store.sortStalled(ids);
    return ids;
  }

  /** However the clocks of this machine and of the store differ. */
  async clean(state: 'completed' | 'failed'): Promise<void> {
    await this.queue.getBackend().cleanJobsByState(state, Date.now() + RENEWED_MS, 1_000);
  }

  async age(): Promise<void> {
    await this.store.age();
  }

  async close(): Promise<void> {
    await Promise.all([this.#worker.close(), this.queue.close(), this.#fairQueue.close()]);
    await Promise.all([this.#backend.close(), this.#fair.close()]);
    await this.store.close();
  }

  #add({ id, data, hostShare }: NewJob, opts: object, queue = this.queue): Promise<string> {
    const job = { id, name: 'reason', data: JSON.stringify(data), opts, timestamp: 1_000, hostShare };
    return queue.getBackend().addJob(job as never, id);
  }

  get #calls(): IQueueBackend {
    return this.#worker.getBackend();
  }

  /** Ours all in one tick of the event loop, BullMQ's one after the other: their order is the same. */
  async #each<Job, Result>(
    jobs: readonly Job[],
    call: (job: Job) => Promise<Result>,
  ): Promise<readonly Result[]> {
    if (this.#isBatched) return Promise.all(jobs.map(call));
    const results: Result[] = [];
    for (const job of jobs) results.push(await call(job));
    return results;
  }

  #nextToken(): string {
    this.#tokens += 1;
    return `token:${this.#tokens}`;
  }

  #hold(fetched: readonly unknown[], token: string): void {
    const [job, id] = fetched as [TakenJob | null, string | null];
    if (!job || !id) return;
    const data = JSON.parse(job.data) as JobData;
    const taken = { ...job, data, processedOn: typeof job.processedOn };
    this.held.push({ id, token, data, isDoomed: job.deferredFailure !== undefined, taken });
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
        // BullMQ may take one of several again before its older run is refused: then with another reason.
        return { refusal: jobs.length === 1 ? (error as Error).message : 'refused', hold: () => {} };
      }
    };
    const ended = await this.#each(jobs, endOne);
    for (const { hold } of ended) hold();
    return ended.map(({ refusal }) => refusal);
  }
}
