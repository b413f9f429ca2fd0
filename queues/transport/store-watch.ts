import { repeat } from '../../platform/repeat.ts';
import type { Store } from './store.ts';

/*
 * The queue store must accept writes, which is checked twice a second: a store that is full, frozen or a replica still has open
 * connections. The same check reads the store's clock.
 */

export interface Outage {
  readonly error: Error;
}

type WatchedStore = Pick<Store, 'clock' | 'write' | 'isConnected' | 'addTimeoutMs' | 'cancelWithinMs'>;

export interface WatchListener {
  onFailure(error: Error): void;
  /** Called for every check after which the store counts as available. */
  onSuccess(): void;
}

const TICK_MS = 100;
const CHECK_EVERY_MS = 500;
/** Only every other check writes. */
const WRITE_EVERY = 2;
/** A reading of the clock that takes longer is too inaccurate. */
const SLOW_CLOCK_MS = 250;

/** Fractions of milliseconds order concurrent requests. */
const preciseNow = (): number => performance.timeOrigin + performance.now();

export class StoreWatch {
  readonly #store: WatchedStore;
  readonly #listener: WatchListener;
  readonly #onChange = new Set<(outage: Outage | undefined) => void>();
  readonly #stopping = new AbortController();
  #checkCount = 0;
  #offset: number | undefined;
  #outage: Outage | undefined;
  #ticksUnanswered = 0;
  #silenceEndedAt = Number.NEGATIVE_INFINITY;

  constructor(store: WatchedStore, listener: WatchListener) {
    this.#store = store;
    this.#listener = listener;
  }

  /** Rejects if the store's clock cannot be read; a failed write is only an outage. */
  async start(): Promise<void> {
    await this.#readClock();
    await this.#check();
    const { signal } = this.#stopping;
    const countTick = () => (this.#ticksUnanswered += 1);
    void repeat(countTick, { everyMs: TICK_MS, signal, onError: () => {} });
    void repeat(() => this.#check(), { everyMs: CHECK_EVERY_MS, signal, onError: () => {} });
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** An estimate, in milliseconds on the store's clock. */
  now(): number {
    return preciseNow() + (this.#offset ?? 0);
  }

  /** Undefined while the store accepts writes. */
  get outage(): Outage | undefined {
    return this.#outage;
  }

  onChange(listener: (outage: Outage | undefined) => void): void {
    this.#onChange.add(listener);
  }

  /**
   * True after nearly `addTimeoutMs` without a response. Counts ticks, so that a blocked event loop does not look like a silent
   * store.
   */
  get #isSilent(): boolean {
    return (this.#ticksUnanswered + 1) * TICK_MS >= this.#store.addTimeoutMs;
  }

  /** How long a job of this age may still be cancelled because an outage made the API refuse its caller. */
  cancellationWaitMs(jobAgeMs: number): number {
    if (jobAgeMs < this.#store.addTimeoutMs) return 0;
    if (this.#isSilent) return this.#store.cancelWithinMs;
    const endedMs = performance.now() - this.#silenceEndedAt;
    return jobAgeMs > endedMs ? Math.max(this.#store.cancelWithinMs - endedMs, 0) : 0;
  }

  /** Retries once immediately: a single failure may be caused by this process. */
  async #check(): Promise<void> {
    // After an outage, only a successful write ends it.
    const writes = this.#checkCount++ % WRITE_EVERY === 0;
    try {
      await this.#checkOnce(writes).catch(() => this.#checkOnce(writes));
      if (!writes && this.#outage) return;
      this.#change(undefined);
      this.#listener.onSuccess();
    } catch (error) {
      this.#change({ error: error as Error });
      this.#listener.onFailure(error as Error);
    }
  }

  async #checkOnce(writes: boolean): Promise<void> {
    if (!this.#store.isConnected()) throw new Error('no connection');
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
    if (isChange) for (const notify of this.#onChange) notify(outage);
  }
}
