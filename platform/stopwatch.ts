/** A start time and the time elapsed since. */
export interface Stopwatch {
  /** Wall-clock time, for display only. */
  readonly startedAt: Date;
  /** Whole milliseconds of the monotonic clock: never negative. */
  elapsedMs(): number;
}

export function startStopwatch(): Stopwatch {
  const startedAt = new Date();
  const since = performance.now();
  return { startedAt, elapsedMs: () => Math.round(performance.now() - since) };
}
