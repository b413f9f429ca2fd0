import type { FinishedJob, JobReply } from './store.ts';

/**
 * `lost`: the job vanished, or its workers died with it; `timeout`: it took too long; `gone`: nobody waits any more;
 * `unreachable`: the store stays away; `stopping`: this process ends.
 */
export type Ending =
  | { kind: 'reply'; reply: JobReply }
  | { kind: 'lost' }
  | { kind: 'timeout' | 'gone' | 'unreachable' | 'stopping' };

export interface Waiter {
  readonly jobId: string;
  readonly ended: Promise<Ending>;
  end(ending: Ending): void;
  /** From here on the job is known to be in the store: if it is missing now, it is lost. */
  arm(): void;
}

interface Entry extends Waiter {
  /** Its id was made for this one request: whatever is heard of it is about this run. */
  readonly isFresh: boolean;
  armed: boolean;
  nextCheckAt: number;
  readonly since: number;
}

export interface SweepOptions {
  readonly firstMs: number;
  readonly longestMs: number;
  findFinished(ids: readonly string[]): Promise<FinishedJob[]>;
}

const CHECKED_AT_ONCE = 500;

/**
 * Those who wait for the jobs of one queue.
 *
 *   registered --arm()--> armed --end()--> ended
 *
 * A waiter is registered before its job is added, so that no completion can come too early. The completion
 * event is a hint that may come late, twice or never; the job's own state is the truth, and a sweep asks for it:
 * first after `firstMs`, then ever more rarely, but at least every `longestMs`. Several may wait for one job.
 */
export class Waiters {
  readonly #byJob = new Map<string, Set<Entry>>();
  readonly #options: SweepOptions;
  #timer: NodeJS.Timeout | undefined;
  /** How many replies only the sweep brought, the event having failed. */
  sweptReplies = 0;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  wait(jobId: string, isFresh: boolean, timeoutMs: number): Waiter {
    const now = performance.now();
    let resolve: (ending: Ending) => void;
    const timer = setTimeout(() => entry.end({ kind: 'timeout' }), timeoutMs);
    const entry: Entry = {
      jobId,
      isFresh,
      ended: new Promise<Ending>(settle => (resolve = settle)),
      armed: false,
      since: now,
      nextCheckAt: now + this.#options.firstMs,
      arm: () => (entry.armed = true),
      end: ending => {
        clearTimeout(timer);
        this.#forget(entry);
        resolve(ending);
      },
    };
    this.#byJob.set(jobId, (this.#byJob.get(jobId) ?? new Set()).add(entry));
    this.#timer ??= setInterval(() => void this.sweep(), this.#options.firstMs);
    return entry;
  }

  has(jobId: string): boolean {
    return this.#byJob.has(jobId);
  }

  /** A completion event came in (or, without a reply, a failure event). */
  noteCompletion(jobId: string, reply: JobReply | undefined): void {
    const entries = [...(this.#byJob.get(jobId) ?? [])];
    for (const entry of entries)
      if (entry.isFresh) entry.end(reply ? { kind: 'reply', reply } : { kind: 'lost' });
    if (entries.some(entry => !entry.isFresh)) void this.sweep(jobId);
  }

  /** Looks at once at this job, or at all whose time has come. */
  async sweep(jobId?: string): Promise<void> {
    const waiting = jobId ? this.#findArmed(jobId) : this.#takeDue(performance.now());
    const ids = [...new Set(waiting.map(entry => entry.jobId))];
    for (let from = 0; from < ids.length; from += CHECKED_AT_ONCE) {
      // A store that cannot be reached now is asked again at the next sweep.
      const seen = await this.#options.findFinished(ids.slice(from, from + CHECKED_AT_ONCE)).catch(() => []);
      const finished = new Map(seen.map(job => [job.id, job]));
      for (const entry of waiting) this.#settle(entry, finished.get(entry.jobId));
    }
  }

  endAll(ending: Ending): void {
    for (const entries of this.#byJob.values()) for (const entry of entries) entry.end(ending);
  }

  /** Only who was armed before a look may be told what it saw: a job run anew still shows its first end. */
  #findArmed(jobId: string): Entry[] {
    return [...(this.#byJob.get(jobId) ?? [])].filter(entry => entry.armed);
  }

  #takeDue(now: number): Entry[] {
    const due = [...this.#byJob.keys()].flatMap(id =>
      this.#findArmed(id).filter(entry => entry.nextCheckAt <= now),
    );
    for (const entry of due) entry.nextCheckAt = now + this.#checkIntervalMs(now - entry.since);
    return due;
  }

  #checkIntervalMs(age: number): number {
    return Math.min(Math.max(age / 4, this.#options.firstMs), this.#options.longestMs);
  }

  #settle(entry: Entry, job: FinishedJob | undefined): void {
    if (!job || !this.#byJob.get(entry.jobId)?.has(entry)) return;
    this.sweptReplies += 1;
    entry.end(job.reply ? { kind: 'reply', reply: job.reply } : { kind: 'lost' });
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
