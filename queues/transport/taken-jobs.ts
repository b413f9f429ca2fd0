import type { TakenJob } from './queue-calls.ts';

/** BullMQ's `moveToActive` returns this if there is no job. */
const NOTHING = [null, null, 0, 0] as const;
/** A job that has not begun by then is given back: long before its lock expires, and soon enough for another worker. */
const NOT_BEGUN_MS = 500;

interface JobInHand extends Pick<TakenJob, 'lock' | 'hostShare'> {
  isLending?: boolean;
}

/**
 * The jobs that a worker has taken from its queue: some at once, although BullMQ asks for one after the other.
 *
 *   taken --handOut()--> in hand --release()--> ended
 *     └── not begun in time, or the worker closes ──> given back to the queue
 */
export class TakenJobs {
  readonly #giveBack: (jobs: readonly TakenJob[]) => Promise<void>;
  readonly #notBegun: TakenJob[] = [];
  /** The running jobs, by the token under which BullMQ knows each. */
  readonly #inHand = new Map<string, JobInHand>();
  #timer: NodeJS.Timeout | undefined;
  #isClosing = false;
  #givingBack: Promise<unknown> = Promise.resolve();

  constructor(giveBack: (jobs: readonly TakenJob[]) => Promise<void>) {
    this.#giveBack = giveBack;
  }

  get notBegun(): number {
    return this.#notBegun.length;
  }

  /** All jobs of this worker, begun or not. */
  get count(): number {
    return this.#notBegun.length + this.#inHand.size;
  }

  /**
   * Lists the host of each job in fair order that holds a slot. Skips jobs that lend their slots, or whose token is in `ending`.
   */
  listHosts(ending?: ReadonlySet<string>): string[] {
    const inHand = [...this.#inHand].filter(([token, { isLending }]) => !isLending && !ending?.has(token));
    return [...this.#notBegun, ...inHand.map(([, job]) => job)].flatMap(
      ({ hostShare }) => hostShare?.host ?? [],
    );
  }

  add(jobs: readonly TakenJob[]): void {
    this.#notBegun.push(...jobs);
    if (this.#isClosing) this.#giveBackNotBegun();
    else if (jobs.length > 0)
      this.#timer ??= setTimeout(() => this.#giveBackNotBegun(), NOT_BEGUN_MS).unref();
  }

  /** Hands out the next job, which BullMQ will know by this token. */
  handOut(token: string): unknown[] {
    const job = this.#notBegun.shift();
    if (!job) return [...NOTHING];
    this.#inHand.set(token, { lock: job.lock, hostShare: job.hostShare });
    return [...job.fetched];
  }

  /** Registers a job that BullMQ took itself. */
  hold(token: string, lock: string): void {
    this.#inHand.set(token, { lock, hostShare: undefined });
  }

  setLending(token: string, isLending: boolean): void {
    const job = this.#inHand.get(token);
    if (job) job.isLending = isLending;
  }

  hostOf(token: string): string | undefined {
    return this.#inHand.get(token)?.hostShare?.host;
  }

  lockOf(token: string): string {
    return this.#inHand.get(token)?.lock ?? token;
  }

  release(token: string): void {
    this.#inHand.delete(token);
  }

  close(): void {
    this.#isClosing = true;
    this.#giveBackNotBegun();
  }

  /** Resolves when the queue has all jobs that were given back. */
  async waitUntilGivenBack(): Promise<void> {
    await this.#givingBack;
  }

  /** If this fails, the stall check finds the jobs. */
  #giveBackNotBegun(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const jobs = this.#notBegun.splice(0);
    if (jobs.length === 0) return;
    this.#givingBack = Promise.all([this.#givingBack, this.#giveBack(jobs).catch(() => undefined)]);
  }
}
