import { setTimeout as delay } from 'node:timers/promises';
import { ExponentialBackoff, type IBackoff, type IBackoffFactory, noJitterGenerator } from 'cockatiel';

interface RepeatOptions {
  /** From one start of the step to the next; a function is called after each run. */
  readonly everyMs: number | (() => number);
  /** The pause before the first run; by default `everyMs`. */
  readonly firstAfterMs?: number;
  /** The pauses after failures in a row, instead of `everyMs`. */
  readonly backoff?: IBackoffFactory<void>;
  readonly signal: AbortSignal;
  /** `failures`: how many runs have failed in a row. */
  onError(error: unknown, failures: number): void;
}

/**
 * Runs the step at an interval and never concurrently with itself: a start that falls into a run is skipped. When the
 * signal is aborted, resolves as soon as no run is in progress; never rejects. Does not keep the process alive.
 */
export async function repeat(step: () => unknown, options: RepeatOptions): Promise<void> {
  const { everyMs, backoff, signal, onError } = options;
  const periodMs = () => (typeof everyMs === 'number' ? everyMs : everyMs());
  let pauseMs = options.firstAfterMs ?? periodMs();
  let nextBackoff = backoff;
  let failures = 0;
  while (await hasPassed(pauseMs, signal)) {
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
    pauseMs = pause?.duration ?? untilNextMs(periodMs(), performance.now() - startedAt);
  }
}

/** Pauses that double with each failure in a row. */
export function makeBackoff(firstMs: number, maxMs: number): IBackoffFactory<void> {
  return new ExponentialBackoff({ generator: noJitterGenerator, initialDelay: firstMs, maxDelay: maxMs });
}

/** The pause after so many failures in a row, at least one, where only their number is known. */
export function pauseAfter(failures: number, backoff: IBackoffFactory<void>): number {
  let pause = backoff.next();
  for (let failed = 1; failed < failures; failed += 1) pause = pause.next();
  return pause.duration;
}

/** False when the signal is aborted. */
function hasPassed(ms: number, signal: AbortSignal): Promise<boolean> {
  return delay(ms, true, { signal, ref: false }).catch(() => false);
}

function untilNextMs(periodMs: number, tookMs: number): number {
  return periodMs > 0 ? periodMs - (tookMs % periodMs) : 0;
}
