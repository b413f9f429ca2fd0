import type { Store } from './store.ts';

/*
 * Whether the queue's store takes writes, looked at twice a second by every process: an open connection says nothing of a
 * store that is full, frozen, or was made a replica. The same look tells the store's clock.
 */

export interface Outage {
  readonly error: Error;
}

type WatchedStore = Pick<Store, 'clock' | 'write' | 'isConnected' | 'addGivenUpMs' | 'settledAfterMs'>;

export interface WatchListener {
  /** Told at every look that failed. */
  onTrouble(error: Error): void;
  /** Told at every look that found the store taking writes. */
  onWell(): void;
}

const TICK_MS = 100;
const LOOK_EVERY_TICKS = 5;
/** Each second look writes. */
const WRITE_EVERY = 2;
/** A clock that took longer to read is not believed. */
const SLOW_CLOCK_MS = 250;

/** With fractions of milliseconds, which tell the order of requests that come at once. */
const preciseNow = (): number => performance.timeOrigin + performance.now();

export class StoreWatch {
  readonly #store: WatchedStore;
  readonly #listener: WatchListener;
  readonly #onChange = new Set<(outage: Outage | undefined) => void>();
  #timer: NodeJS.Timeout | undefined;
  #looks = 0;
  #isLooking = false;
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
    await this.look();
    let ticks = 0;
    this.#timer = setInterval(() => {
      this.#ticksUnanswered += 1;
      ticks += 1;
      if (ticks % LOOK_EVERY_TICKS === 0) void this.look();
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
    return (this.#ticksUnanswered + 1) * TICK_MS >= this.#store.addGivenUpMs;
  }

  /** For how long a job of this age may still be one whose asker was refused, with nobody having had the time to say so. */
  unsettledMs(jobAgeMs: number): number {
    if (jobAgeMs < this.#store.addGivenUpMs) return 0;
    if (this.#isSilent) return this.#store.settledAfterMs;
    const endedMs = performance.now() - this.#silenceEndedAt;
    return jobAgeMs > endedMs ? Math.max(this.#store.settledAfterMs - endedMs, 0) : 0;
  }

  /** What fails is looked at again at once: one look may be late for reasons of our own. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    // Once it was found to take no writes, only a write tells that it does again.
    const writes = this.#looks++ % WRITE_EVERY === 0;
    try {
      await this.#lookOnce(writes).catch(() => this.#lookOnce(writes));
      if (!writes && this.#outage) return;
      this.#change(undefined);
      this.#listener.onWell();
    } catch (error) {
      this.#change({ error: error as Error });
      this.#listener.onTrouble(error as Error);
    } finally {
      this.#isLooking = false;
    }
  }

  async #lookOnce(writes: boolean): Promise<void> {
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
