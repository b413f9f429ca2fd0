const STALE_AFTER_MS = 300_000;

/** Returns 1 up to a lag of one interval, falling linearly to 0 at five minutes. */
function freshnessOf(lagMs: number, flushMs: number): number {
  if (lagMs <= flushMs) return 1;
  return Math.max(0, 1 - (lagMs - flushMs) / (STALE_AFTER_MS - flushMs));
}

/** Returns the part of the records whose index entry is current. */
export function coverageOf({ source, unfit }: { readonly source: number; readonly unfit: number }): number {
  return source === 0 ? 1 : Math.max(0, source - unfit) / source;
}

/** Returns 0 to 100, with one decimal. */
function healthScoreOf(coverage: number, freshness: number): number {
  return Math.round(1_000 * coverage * freshness) / 10;
}

/** Returns the score of an index; null before its first reconciliation. */
export function indexScoreOf(
  { lagMs, flushMs }: { readonly lagMs: number; readonly flushMs: number },
  reconciled: Parameters<typeof coverageOf>[0] | undefined,
): number | null {
  return reconciled ? healthScoreOf(coverageOf(reconciled), freshnessOf(lagMs, flushMs)) : null;
}
