import type { TakenJob } from './queue-calls.ts';

/** What BullMQ's `moveToActive` returns if there is no job. */
const NOTHING = [null, null, 0, 0] as const;
/** A job that is not begun by then is given back: long before its lock expires, and soon enough for another worker. */
const UNBEGUN_MS = 500;

/**
 * The jobs that a worker has taken from its queue: some at once, although BullMQ asks for one after the other.
 *
 *   taken --handOut()--> in hand --release()--> ended
 *     └── not begun in time, or the worker closes ──> given back to the queue
 */
export class TakenJobsOfWorker {
  readonly #giveBack: (jobs: readonly TakenJob[]) => Promise<void>;
  readonly #unbegun: TakenJob[] = [];
  /** The locks of the jobs in hand, by the token under which BullMQ knows each. */
  readonly #locks = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(giveBack: (jobs: readonly TakenJob[]) => Promise<void>) {
    this.#giveBack = giveBack;
  }

  get unbegun(): number {
    return this.#unbegun.length;
  }

  /** All jobs of this worker, begun or not. */
  get count(): number {
    return this.#unbegun.length + this.#locks.size;
  }

  add(jobs: readonly TakenJob[]): void {
    this.#unbegun.push(...jobs);
    if (this.#isClosing) this.#giveBackUnbegun();
    else if (jobs.length > 0) this.#timer ??= setTimeout(() => this.#giveBackUnbegun(), UNBEGUN_MS).unref();
  }

  /** The next job, which BullMQ will know by this token. */
  handOut(token: string): unknown[] {
    const job = this.#unbegun.shift();
    if (!job) return [...NOTHING];
    this.hold(token, job.lock);
    return [...job.fetched];
  }

  /** For a job that BullMQ took itself. */
  hold(token: string, lock: string): void {
    this.#locks.set(token, lock);
  }

  lockOf(token: string): string {
    return this.#locks.get(token) ?? token;
  }

  release(token: string): void {
    this.#locks.delete(token);
  }

  close(): void {
    this.#isClosing = true;
    this.#giveBackUnbegun();
  }

  /** If it fails, the stall check finds them. */
  #giveBackUnbegun(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const jobs = this.#unbegun.splice(0);
    if (jobs.length > 0) void this.#giveBack(jobs).catch(() => undefined);
  }
}
