import type { Store } from './store.ts';

/*
 * Whether the queue's store takes writes, looked at twice a second by every process: an open connection says nothing of a
 * store that is full, frozen, or was made a replica. The same look tells the store's clock.
 */

export interface Outage {
  readonly error: Error;
}

type WatchedStore = Pick<Store, 'clock' | 'write' | 'isConnected' | 'addTimeoutMs'>;

export interface WatchListener {
  /** Told at every look that failed. */
  onFailure(error: Error): void;
  /** Told at every look that found the store taking writes. */
  onSuccess(): void;
}

const TICK_MS = 100;
const CHECK_EVERY_TICKS = 5;
/** Each second look writes. */
const WRITE_EVERY = 2;
/** After a silence the api's processes need this long to reach the store again and to tell which jobs they refused. */
const SETTLED_AFTER_MS = 2_500;
/** A clock that took longer to read is not believed. */
const SLOW_CLOCK_MS = 250;

/** With fractions of milliseconds, which tell the order of requests that come at once. */
const preciseNow = (): number => performance.timeOrigin + performance.now();

export class StoreWatch {
  readonly #store: WatchedStore;
  readonly #listener: WatchListener;
  readonly #onChange = new Set<(outage: Outage | undefined) => void>();
  #timer: NodeJS.Timeout | undefined;
  #checkCount = 0;
  #isChecking = false;
  #offset: number | undefined;
  #outage: Outage | undefined;
  #ticksUnanswered = 0;
  #silenceEndedAt = Number.NEGATIVE_INFINITY;

  constructor(store: WatchedStore, listener: WatchListener) {
    this.#store = store;
    this.#listener = listener;
  }

  /** Rejects where the store does not tell its clock; one that takes no writes is only noted. */
  async start(): Promise<void> {
    await this.#readClock();
    await this.check();
    let ticks = 0;
    this.#timer = setInterval(() => {
      this.#ticksUnanswered += 1;
      ticks += 1;
      if (ticks % CHECK_EVERY_TICKS === 0) void this.check();
    }, TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Milliseconds on the store's clock, as far as this process knows it. */
  now(): number {
    return preciseNow() + (this.#offset ?? 0);
  }

  /** Undefined while the store takes writes. */
  get outage(): Outage | undefined {
    return this.#outage;
  }

  onChange(listener: (outage: Outage | undefined) => void): void {
    this.#onChange.add(listener);
  }

  /**
   * No answer for nearly as long as a job's confirmation is waited for. Counted in ticks, so that a process which is itself held
   * up does not take that for the store's silence.
   */
  get #isSilent(): boolean {
    return (this.#ticksUnanswered + 1) * TICK_MS >= this.#store.addTimeoutMs;
  }

  /** For how long a job of this age may still be one whose asker was refused, with nobody having had the time to say so. */
  unsettledMs(jobAgeMs: number): number {
    if (jobAgeMs < this.#store.addTimeoutMs) return 0;
    if (this.#isSilent) return SETTLED_AFTER_MS;
    const endedMs = performance.now() - this.#silenceEndedAt;
    return jobAgeMs > endedMs ? Math.max(SETTLED_AFTER_MS - endedMs, 0) : 0;
  }

  /** What fails is looked at again at once: one look may be late for reasons of our own. */
  async check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    // Once it was found to take no writes, only a write tells that it does again.
    const writes = this.#checkCount++ % WRITE_EVERY === 0;
    try {
      await this.#checkOnce(writes).catch(() => this.#checkOnce(writes));
      if (!writes && this.#outage) return;
      this.#change(undefined);
      this.#listener.onSuccess();
    } catch (error) {
      this.#change({ error: error as Error });
      this.#listener.onFailure(error as Error);
    } finally {
      this.#isChecking = false;
    }
  }

  async #checkOnce(writes: boolean): Promise<void> {
    if (!this.#store.isConnected()) throw new Error('there is no connection');
    await Promise.all([this.#readClock(), writes ? this.#store.write() : undefined]);
  }

  async #readClock(): Promise<void> {
    const before = preciseNow();
    const there = await this.#store.clock();
    const after = preciseNow();
    if (this.#offset === undefined || after - before < SLOW_CLOCK_MS)
      this.#offset = there - (before + after) / 2;
    if (this.#isSilent) this.#silenceEndedAt = performance.now();
    this.#ticksUnanswered = 0;
  }

  #change(outage: Outage | undefined): void {
    const isChange = (outage === undefined) !== (this.#outage === undefined);
    this.#outage = outage;
    if (isChange) for (const tell of this.#onChange) tell(outage);
  }
}
