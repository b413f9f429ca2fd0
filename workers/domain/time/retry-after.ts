export interface HeaderReader {
  get(name: string): string | null;
}

/**
 * Returns the delay that a provider requests; undefined if it is absent or unreadable. A date is compared with the provider's
 * own `Date` header, if present, because clocks differ.
 */
export function retryAfterMsOf(headers: HeaderReader, now: number): number | undefined {
  const inMs = spanOf(headers.get('retry-after-ms'));
  if (inMs !== undefined) return inMs;
  const header = headers.get('retry-after');
  const seconds = spanOf(header);
  if (seconds !== undefined) return seconds * 1_000;
  const until = instantOf(header);
  return until === undefined ? undefined : Math.max(until - (instantOf(headers.get('date')) ?? now), 0);
}

function spanOf(text: string | null): number | undefined {
  return text !== null && /^\s*\d{1,9}(\.\d{1,9})?\s*$/.test(text) ? Number(text) : undefined;
}

/** Reads `Wed, 21 Oct 2026 07:28:00 GMT`. */
function instantOf(text: string | null): number | undefined {
  if (text === null || text.length > 40 || !/^[A-Z][a-z]+, .+ GMT$/.test(text)) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}
