import type { Outcome } from '../contract/failure.ts';
import type { FinishedJob, JobReply } from './store.ts';

/**
 * `stored`: the database has the reply; `missing`: the store has no such job, or no longer; `lost`: its workers crashed; `timeout`: the
 * time limit passed; `abandoned`: nobody waits any more; `unreachable`: the store is down; `stopping`: this process shuts down.
 */
export type WaitResult =
  | { kind: 'reply'; reply: JobReply }
  | { kind: 'stored'; outcome: Outcome<unknown> }
  | { kind: 'lost' | 'missing' }
  | { kind: 'timeout' | 'abandoned' | 'unreachable' | 'stopping' };

export interface Waiter {
  readonly jobId: string;
  readonly ended: Promise<WaitResult>;
  end(ending: WaitResult): void;
  /** Called when the job is in the store: if it is missing later, it is lost. */
  arm(): void;
}

/** Gets the pieces of a running job. */
export type OnPiece = (piece: string) => void;

interface Entry extends Waiter {
  readonly onPiece: OnPiece | undefined;
  /** The job id is unique to this request, so every event belongs to this run. */
  readonly isOnlyRequest: boolean;
  armed: boolean;
  nextCheckAt: number;
  readonly since: number;
  /** How many reads of its job are running. */
  reads: number;
}

export interface PollOptions {
  readonly firstMs: number;
  readonly maxMs: number;
  findFinished(ids: readonly string[]): Promise<FinishedJob[]>;
}

const CHECK_BATCH_SIZE = 500;

/**
 * The requests that wait for jobs of one queue.
 *
 *   registered --arm()--> armed --end()--> ended
 *
 * A waiter is registered before its job is added, so that no completion is missed. The completion event is a hint that
 * may arrive late, twice or never; the state of the job is authoritative, and is polled: first after `firstMs`,
 * then with backoff, at least every `maxMs`. Several requests may wait for one job.
 */
export class Waiters {
  readonly #byJob = new Map<string, Set<Entry>>();
  readonly #options: PollOptions;
  #timer: NodeJS.Timeout | undefined;
  /** Ended jobs, to be read together in the next tick of the event loop. */
  readonly #ended = new Set<string>();
  /** The number of replies that polling found because the event was missed. */
  polledReplies = 0;

  constructor(options: PollOptions) {
    this.#options = options;
  }

  /** `onPiece` gets each sealed piece of the answer of its job. */
  wait(jobId: string, isOnlyRequest: boolean, timeoutMs: number, onPiece?: OnPiece): Waiter {
    const now = performance.now();
    let resolve: (ending: WaitResult) => void;
    const timer = setTimeout(() => entry.end({ kind: 'timeout' }), timeoutMs);
    const entry: Entry = {
      jobId,
      isOnlyRequest,
      onPiece,
      ended: new Promise<WaitResult>(fulfil => (resolve = fulfil)),
      armed: false,
      since: now,
      nextCheckAt: now + this.#options.firstMs,
      reads: 0,
      arm: () => (entry.armed = true),
      end: ending => {
        clearTimeout(timer);
        this.#forget(entry);
        resolve(ending);
      },
    };
    this.#byJob.set(jobId, (this.#byJob.get(jobId) ?? new Set()).add(entry));
    // `repeat` never overlaps, but a poll that hangs must not delay later waiters. The timer runs only while somebody
    // waits, and keeps the process alive for them.
    this.#timer ??= setInterval(() => void this.#pollDue(performance.now()), this.#options.firstMs);
    return entry;
  }

  has(jobId: string): boolean {
    return this.#byJob.has(jobId);
  }

  /** Handles the end of a job. Reads the job if the reply is missing, or several requests wait for it. */
  noteEnd(jobId: string, reply: JobReply | undefined): void {
    if (reply)
      for (const entry of this.#byJob.get(jobId) ?? [])
        if (entry.isOnlyRequest) entry.end({ kind: 'reply', reply });
    if (!this.#byJob.has(jobId)) return;
    if (this.#ended.size === 0) setImmediate(() => void this.#readEnded());
    this.#ended.add(jobId);
  }

  notePiece(jobId: string, piece: string): void {
    for (const { onPiece } of this.#byJob.get(jobId) ?? []) onPiece?.(piece);
  }

  async #readEnded(): Promise<void> {
    const ids = [...this.#ended];
    this.#ended.clear();
    const isKnown = (entry: Entry) => entry.armed || entry.isOnlyRequest;
    const waiting = ids.flatMap(id => [...(this.#byJob.get(id) ?? [])].filter(isKnown));
    await this.#endFinished(waiting, () => {});
  }

  async poll(jobId: string): Promise<void> {
    await this.#endFinished(this.#findArmed(jobId), () => {});
  }

  /** Polls all jobs now: some of their events may have been missed. */
  async pollAll(): Promise<void> {
    await this.#pollDue(Number.POSITIVE_INFINITY);
  }

  async #pollDue(now: number): Promise<void> {
    await this.#endFinished(this.#takeDue(now), () => (this.polledReplies += 1));
  }

  async #endFinished(waiting: readonly Entry[], onEnd: () => void): Promise<void> {
    const ids = [...new Set(waiting.map(entry => entry.jobId))];
    for (const entry of waiting) entry.reads += 1;
    for (let from = 0; from < ids.length; from += CHECK_BATCH_SIZE) {
      // On errors, the next poll retries.
      const jobs = await this.#options.findFinished(ids.slice(from, from + CHECK_BATCH_SIZE)).catch(() => []);
      const finished = new Map(jobs.map(job => [job.id, job]));
      for (const entry of waiting) if (this.#endIfFinished(entry, finished.get(entry.jobId))) onEnd();
    }
    for (const entry of waiting) entry.reads -= 1;
  }

  endAll(ending: WaitResult): void {
    for (const entries of this.#byJob.values()) for (const entry of entries) entry.end(ending);
  }

  /** Only waiters armed before the query may use its result: a retried job still has the state of its first run. */
  #findArmed(jobId: string): Entry[] {
    return [...(this.#byJob.get(jobId) ?? [])].filter(entry => entry.armed);
  }

  /**
   * Lists the jobs to poll, without those being read: a reply of megabytes takes longer than the interval, and would be read many
   * times.
   */
  #takeDue(now: number): Entry[] {
    const isDue = ({ nextCheckAt, reads }: Entry) =>
      nextCheckAt <= now && (reads === 0 || now === Number.POSITIVE_INFINITY);
    const due = [...this.#byJob.keys()].flatMap(id => this.#findArmed(id).filter(isDue));
    const seenAt = performance.now();
    for (const entry of due) entry.nextCheckAt = seenAt + this.#checkIntervalMs(seenAt - entry.since);
    return due;
  }

  #checkIntervalMs(age: number): number {
    return Math.min(Math.max(age / 4, this.#options.firstMs), this.#options.maxMs);
  }

  #endIfFinished(entry: Entry, job: FinishedJob | undefined): boolean {
    if (!job || !this.#byJob.get(entry.jobId)?.has(entry)) return false;
    // The job may not be in the store yet.
    if (job.state === 'missing' && !entry.armed) return false;
    entry.end(job.reply ? { kind: 'reply', reply: job.reply } : { kind: kindOfLoss(job) });
    return true;
  }

  #forget(entry: Entry): void {
    const entries = this.#byJob.get(entry.jobId);
    entries?.delete(entry);
    if (entries?.size === 0) this.#byJob.delete(entry.jobId);
    if (this.#byJob.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }
}

function kindOfLoss({ state }: FinishedJob): 'lost' | 'missing' {
  return state === 'missing' ? 'missing' : 'lost';
}
