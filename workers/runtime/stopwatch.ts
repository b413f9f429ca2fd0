/** When something began, and how long it has been going on. */
export interface Stopwatch {
  /** By the machine's clock: for people to read, never to reckon with. */
  readonly startedAt: Date;
  /** Whole milliseconds, by a clock that nobody sets: never negative. */
  elapsedMs(): number;
}

export function startStopwatch(): Stopwatch {
  const startedAt = new Date();
  const since = performance.now();
  return { startedAt, elapsedMs: () => Math.round(performance.now() - since) };
}
