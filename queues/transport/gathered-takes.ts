import { type IQueueBackend, isNotConnectionError } from 'bullmq';
import { gatherCalls } from './gather-calls.ts';
import type { EndedJob, QueueCalls } from './queue-calls.ts';
import { EVERYONE, type JobData } from './store.ts';
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
type JobEnd = EndedJob & { readonly wantsNext: boolean };

/** A longer body is dropped when its job is answered; only a retry with its Idempotency-Key would read it again. */
const LONG_BODY = 2_048;

export function gatherTakes(backend: IQueueBackend, worker: TakingWorker, calls: QueueCalls): void {
  const takes = new GatheredTakes(backend, worker, calls);
  worker.on('closing', () => takes.close());
  const { moveToActive, waitForJob, moveToCompleted, moveToFailed, extendLocks } = takes;
  Object.assign(backend, { moveToActive, waitForJob, moveToCompleted, moveToFailed, extendLocks });
}

class GatheredTakes {
  readonly #library: Pick<
    IQueueBackend,
    'moveToActive' | 'moveToCompleted' | 'moveToFailed' | 'extendLocks' | 'waitForJob'
  >;
  readonly #worker: TakingWorker;
  readonly #calls: QueueCalls;
  readonly #taken: TakenJobsOfWorker;
  readonly #finish = gatherCalls<JobEnd, boolean>(
    ({ reply, data }) => reply.length + data.length,
    ended => this.#finishAll(ended),
  );
  #takes = 0;
  /** The last take left the queue empty. A job added later ends `waitForJob`. */
  #isEmpty = false;

  constructor(backend: IQueueBackend, worker: TakingWorker, calls: QueueCalls) {
    this.#worker = worker;
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

  readonly moveToActive: IQueueBackend['moveToActive'] = async (token, name) => {
    if (this.#taken.unbegun > 0 || this.#isEmpty) {
      this.#isEmpty = false;
      return this.#taken.handOut(token);
    }
    const free = this.#worker.concurrency - this.#taken.count;
    const { jobs, waiting } = await this.#calls.take(this.#nextLock(), Math.max(free, 1));
    if (waiting === undefined) return this.#takeWithLibrary(token, name);
    this.#isEmpty = jobs.length > 0 && waiting === 0;
    this.#taken.add(jobs);
    return this.#taken.handOut(token);
  };

  readonly waitForJob: IQueueBackend['waitForJob'] = timeout => {
    this.#isEmpty = false;
    return this.#library.waitForJob(timeout);
  };

  readonly moveToCompleted = (async (job, value, keep, token, wantsNext) => {
    const [id, data, lock] = [job.id as string, job.data as JobData, this.#taken.lockOf(token)];
    const { replyTo } = data;
    if (replyTo !== undefined) {
      const reply = JSON.stringify(value);
      const isCompleted = await this.#finish({ id, lock, reply, replyTo, data: restOf(data), wantsNext });
      if (isCompleted) return this.#end(token, wantsNext, Date.now());
    }
    // Of an older asker; or ours did not complete it, and BullMQ's own call does, or says why not.
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
    return this.#library.extendLocks(ids, locks, duration);
  };

  async #finishAll(ended: readonly JobEnd[]): Promise<readonly boolean[]> {
    const wanted = ended.filter(({ wantsNext }) => wantsNext).length;
    const count = Math.max(wanted - this.#taken.unbegun, 0);
    const { completed, jobs } = await this.#calls.finish(ended, this.#nextLock(), count);
    this.#taken.add(jobs);
    return completed;
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

  /** Unique: a run whose lock has expired cannot end a later run of its job, also in the same worker. */
  #nextLock(): string {
    this.#takes += 1;
    return `${this.#worker.id}:taken:${this.#takes}`;
  }
}

/** What stays of the data of an answered job; empty: all of it. */
function restOf(data: JobData): string {
  const isDropped = data.replyTo !== EVERYONE && data.sealed.length > LONG_BODY;
  return isDropped ? JSON.stringify({ ...data, sealed: '' }) : '';
}
