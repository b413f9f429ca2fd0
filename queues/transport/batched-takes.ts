import { type IQueueBackend, isNotConnectionError } from 'bullmq';
import { batchCalls } from '../../platform/batch.ts';
import type { QueueFacts } from '../contract/queues.ts';
import { LimitPause } from './limit-pause.ts';
import { batchOfTick, type EndedJob, type QueueCalls, type WantedJobs } from './queue-calls.ts';
import { limitHosts } from './slot-limits.ts';
import { type JobData, KEYED_CHANNEL } from './store.ts';
import { TakenJobsOfWorker } from './taken-jobs.ts';

/*
 * The calls of a worker to BullMQ's backend: it takes as many jobs at once as it has free slots, and completes those of
 * one tick of the event loop with one call, which takes the next ones as well. All else is BullMQ's own.
 */

/** A worker, as far as it decides what it takes. */
export interface TakingWorker {
  readonly id: string;
  readonly concurrency: number;
  on(event: 'closing', listener: () => void): unknown;
}

type Complete = IQueueBackend['moveToCompleted'];
type Fail = IQueueBackend['moveToFailed'];
type EndResult = Awaited<ReturnType<Complete>>;
type JobEnd = EndedJob & { readonly token: string; readonly wantsNext: boolean };

/** A longer body is dropped when its job is answered; only a retry with its Idempotency-Key would read it again. */
const LONG_BODY = 2_048;

/** Returns how a job in hand, named by its token, says that it lends its slot. */
export function batchTakes(
  backend: IQueueBackend,
  worker: TakingWorker,
  calls: QueueCalls,
  facts: QueueFacts,
): (token: string, isLending: boolean) => void {
  const takes = new BatchedTakes(backend, worker, calls, facts);
  worker.on('closing', () => takes.close());
  const close = backend.close.bind(backend);
  backend.close = force => takes.waitUntilGivenBack().then(() => close(force));
  const { moveToActive, waitForJob, moveToCompleted, moveToFailed, extendLocks } = takes;
  Object.assign(backend, { moveToActive, waitForJob, moveToCompleted, moveToFailed, extendLocks });
  if (calls.recoverStalled) backend.moveStalledJobsToWait = calls.recoverStalled;
  return (token, isLending) => takes.setLending(token, isLending);
}

class BatchedTakes {
  readonly #library: Pick<
    IQueueBackend,
    'moveToActive' | 'moveToCompleted' | 'moveToFailed' | 'extendLocks' | 'waitForJob'
  >;
  readonly #worker: TakingWorker;
  readonly #calls: QueueCalls;
  readonly #isFair: boolean;
  readonly #keptSlots: number;
  readonly #taken: TakenJobsOfWorker;
  readonly #finish = batchCalls<JobEnd, boolean>({
    ...batchOfTick(({ reply, data }) => reply.length + data.length),
    makeCalls: ended => this.#finishAll(ended),
  });
  #takes = 0;
  /** The last take left the queue empty. A job added later ends `waitForJob`. */
  #isEmpty = false;
  /** Needed while jobs wait that this worker may not take now. */
  readonly #limitPause = new LimitPause();

  constructor(
    backend: IQueueBackend,
    worker: TakingWorker,
    calls: QueueCalls,
    { isFair, keptSlots = 0 }: QueueFacts,
  ) {
    this.#worker = worker;
    this.#isFair = isFair;
    this.#keptSlots = keptSlots;
    this.#library = {
      moveToActive: backend.moveToActive.bind(backend),
      moveToCompleted: backend.moveToCompleted.bind(backend),
      moveToFailed: backend.moveToFailed.bind(backend),
      extendLocks: backend.extendLocks.bind(backend),
      waitForJob: backend.waitForJob.bind(backend),
    };
    this.#calls = calls;
    this.#taken = new TakenJobsOfWorker(jobs => calls.giveBack(jobs));
  }

  close(): void {
    this.#taken.close();
  }

  waitUntilGivenBack(): Promise<void> {
    return this.#taken.waitUntilGivenBack();
  }

  setLending(token: string, isLending: boolean): void {
    this.#taken.setLending(token, isLending);
  }

  readonly moveToActive: IQueueBackend['moveToActive'] = async (token, name) => {
    if (this.#taken.unbegun > 0 || this.#isEmpty) {
      this.#isEmpty = false;
      return this.#taken.handOut(token);
    }
    // Half of the slots: what it takes counts towards the limits of the next take.
    const count = this.#isFair ? Math.ceil(this.#free / 2) : this.#free;
    const startedAt = performance.now();
    const { jobs, waiting } = await this.#calls.take(this.#want(Math.max(count, 1)));
    this.#limitPause.noteTakeTime(performance.now() - startedAt);
    if (waiting === undefined) return this.#takeWithLibrary(token, name);
    this.#isEmpty = jobs.length > 0 && waiting === 0;
    this.#limitPause.isNeeded = this.#isFair && jobs.length === 0 && waiting > 0;
    this.#taken.add(jobs);
    return this.#taken.handOut(token);
  };

  readonly waitForJob: IQueueBackend['waitForJob'] = timeout => {
    this.#isEmpty = false;
    return this.#limitPause.isNeeded ? this.#limitPause.wait() : this.#library.waitForJob(timeout);
  };

  readonly moveToCompleted = (async (job, value, keep, token, wantsNext) => {
    const [id, data, lock] = [job.id as string, job.data as JobData, this.#taken.lockOf(token)];
    const { replyTo } = data;
    if (replyTo !== undefined) {
      const reply = JSON.stringify(value);
      const isCompleted = await this.#finish({
        id,
        token,
        lock,
        reply,
        replyTo,
        data: restOf(data),
        wantsNext,
      });
      if (isCompleted) return this.#end(token, wantsNext, Date.now());
    }
    // The requester is of an older version; or ours did not complete it, and BullMQ's own call does, or says why not.
    const asksNext = wantsNext && this.#taken.unbegun === 0;
    const ended = await this.#library.moveToCompleted(job, value, keep, lock, asksNext);
    return this.#endWithLibrary(token, wantsNext, ended);
  }) as Complete;

  readonly moveToFailed = (async (job, reason, keep, token, wantsNext, fields) => {
    const lock = this.#taken.lockOf(token);
    const asksNext = wantsNext && this.#taken.unbegun === 0;
    try {
      const ended = await this.#library.moveToFailed(job, reason, keep, lock, asksNext, fields);
      return this.#endWithLibrary(token, wantsNext, ended);
    } catch (error) {
      // After other errors BullMQ gives up this job, and the stall check finds it.
      if (isNotConnectionError(error as Error)) this.#taken.release(token);
      throw error;
    }
  }) as Fail;

  readonly extendLocks: IQueueBackend['extendLocks'] = (ids, tokens, duration) => {
    const locks = tokens.map(token => this.#taken.lockOf(token));
    if (!this.#calls.renewLocks) return this.#library.extendLocks(ids, locks, duration);
    return this.#calls.renewLocks(
      ids.map((id, at) => ({ id, lock: locks[at] ?? '' })),
      duration,
    );
  };

  /** At the limit, an end makes room only for the hosts at their limit; for others, all that waits would be passed over. */
  #mayTakeAfter(ended: readonly JobEnd[]): boolean {
    if (!this.#limitPause.isNeeded) return true;
    const { byHost } = limitHosts(this.#taken.listShares(), this.#free, this.#keptSlots);
    return ended.some(({ token }) => byHost[this.#taken.hostOf(token) ?? ''] === 0);
  }

  get #free(): number {
    return this.#worker.concurrency - this.#taken.count;
  }

  async #finishAll(ended: readonly JobEnd[]): Promise<readonly boolean[]> {
    const wanted = ended.filter(({ wantsNext }) => wantsNext).length;
    const count = this.#mayTakeAfter(ended) ? Math.max(wanted - this.#taken.unbegun, 0) : 0;
    const wantedJobs = this.#want(count, new Set(ended.map(({ token }) => token)));
    const { completed, jobs, waiting = 0 } = await this.#calls.finish(ended, wantedJobs);
    if (this.#isFair && jobs.length < count && waiting > 0) this.#limitPause.isNeeded = true;
    this.#taken.add(jobs);
    return completed;
  }

  /** `ending`: the tokens of jobs whose slots are free before others are taken. */
  #want(count: number, ending: ReadonlySet<string> = new Set()): WantedJobs {
    this.#takes += 1;
    // Unique: a run whose lock has expired cannot end a later run of its job, also in the same worker.
    const lock = `${this.#worker.id}:taken:${this.#takes}`;
    const free = this.#free + ending.size;
    // BullMQ may ask for one more although none is free.
    const isLimited = this.#isFair && free > 0;
    return {
      lock,
      count,
      hostLimits: isLimited ? limitHosts(this.#taken.listShares(ending), free, this.#keptSlots) : undefined,
    };
  }

  async #takeWithLibrary(token: string, name: string | undefined): Promise<unknown[]> {
    const fetched = await this.#library.moveToActive(token, name);
    if (fetched[0]) this.#taken.hold(token, token);
    return fetched;
  }

  /** A next job that BullMQ has taken has the lock of the last. */
  #endWithLibrary(token: string, wantsNext: boolean, ended: EndResult): EndResult {
    const hasNext = Array.isArray(ended.result) && Boolean(ended.result[0]);
    return hasNext ? ended : this.#end(token, wantsNext, ended.finishedOn);
  }

  /** The job of this token has ended; BullMQ starts the next one with the same token. */
  #end(token: string, wantsNext: boolean, finishedOn: number): EndResult {
    this.#taken.release(token);
    return { result: wantsNext ? this.#taken.handOut(token) : [], finishedOn };
  }
}

/** What stays of the data of an answered job; empty: all of it. */
function restOf(data: JobData): string {
  const isDropped = data.replyTo !== KEYED_CHANNEL && data.sealed.length > LONG_BODY;
  return isDropped ? JSON.stringify({ ...data, sealed: '' }) : '';
}
