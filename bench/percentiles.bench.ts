export function percentileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
}

/** The times are in milliseconds; NaN was not measured. */
export function describeTimes(times: readonly number[]): string {
  const measured = times.filter(ms => !Number.isNaN(ms));
  const [p50, p99, most] = [0.5, 0.99, 1].map(share => percentileOf(measured, share).toFixed(1));
  return `p50 ${p50}, p99 ${p99}, max ${most} ms (${measured.length})`;
}
