import { setTimeout as delay } from 'node:timers/promises';
import { ExponentialBackoff, type IBackoff, type IBackoffFactory, noJitterGenerator } from 'cockatiel';
import { linkSignals } from './link-signals.ts';

const [MIN_REST_MS, MAX_REST_MS] = [10, 50];

interface RepeatOptions {
  /** Time from one start of the step to the next; a function is called after each run. */
  readonly everyMs: number | (() => number);
  /** The pause before the first run; by default `everyMs`. */
  readonly firstAfterMs?: number;
  /** Pauses after failures in a row, instead of `everyMs`. */
  readonly backoff?: IBackoffFactory<void>;
  readonly signal: AbortSignal;
  /** `failures`: how many runs have failed in a row. */
  onError(error: unknown, failures: number): void;
}

export interface Repeated {
  /**
   * Says that there may be work, also during a run: the next run begins soon. It waits as long as the last run took, within 10
   * and 50 ms, so that the process can do other work; and it never shortens the pause after a failure.
   */
  wake(): void;
  /** When the signal is aborted, resolves as soon as no run is in progress; never rejects. */
  readonly ended: Promise<void>;
}

/** Runs the step like `startRepeating`, when nothing needs to wake it. */
export function repeat(step: () => unknown, options: RepeatOptions): Promise<void> {
  return startRepeating(step, options).ended;
}

/**
 * Runs the step at an interval and never concurrently with itself: a start that falls into a run is skipped. Does not keep the process
 * alive.
 */
export function startRepeating(step: () => unknown, options: RepeatOptions): Repeated {
  const { everyMs, backoff, signal, onError } = options;
  const periodMs = () => (typeof everyMs === 'number' ? everyMs : everyMs());
  let woken = new AbortController();

  async function hasPaused(ms: number, leastMs: number): Promise<boolean> {
    using linked = linkSignals(signal, woken.signal);
    const startedAt = performance.now();
    await sleep(ms, linked.signal);
    if (woken.signal.aborted) await sleep(Math.min(ms, leastMs) - (performance.now() - startedAt), signal);
    return !signal.aborted;
  }
  async function run(): Promise<void> {
    let [pauseMs, leastMs] = [options.firstAfterMs ?? periodMs(), 0];
    let nextBackoff = backoff;
    let failures = 0;
    while (await hasPaused(pauseMs, leastMs)) {
      woken = new AbortController();
      const startedAt = performance.now();
      let pause: IBackoff<void> | undefined;
      try {
        await step();
        failures = 0;
      } catch (error) {
        failures += 1;
        onError(error, failures);
        pause = nextBackoff?.next();
      }
      nextBackoff = pause ?? backoff;
      const tookMs = performance.now() - startedAt;
      pauseMs = pause?.duration ?? untilNextMs(periodMs(), tookMs);
      leastMs = pause?.duration ?? Math.min(Math.max(MIN_REST_MS, tookMs), MAX_REST_MS);
    }
  }
  return { wake: () => woken.abort(), ended: run() };
}

/** Pauses that double with each failure in a row. */
export function makeBackoff(firstMs: number, maxMs: number): IBackoffFactory<void> {
  return new ExponentialBackoff({ generator: noJitterGenerator, initialDelay: firstMs, maxDelay: maxMs });
}

/** The pause after this many failures in a row, at least one, for a caller that knows only their number. */
export function pauseAfter(failures: number, backoff: IBackoffFactory<void>): number {
  let pause = backoff.next();
  for (let failed = 1; failed < failures; failed += 1) pause = pause.next();
  return pause.duration;
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await delay(Math.max(ms, 0), undefined, { signal, ref: false }).catch(() => {});
}

function untilNextMs(periodMs: number, tookMs: number): number {
  return periodMs > 0 ? periodMs - (tookMs % periodMs) : 0;
}
