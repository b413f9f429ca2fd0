/** The durations of the model for the last turns of this process. */
export interface RecentTurns {
  note(ms: number): void;
  /** Whether even the fastest of the recent turns took longer than the remaining time. */
  isTooShort(remainingMs: number): boolean;
}

/** Fewer durations are no basis for a refusal. */
const MIN_SAMPLES = 8;
const MAX_SAMPLES = 32;

export function makeRecentTurns(): RecentTurns {
  const durations: number[] = [];
  return {
    note(ms) {
      durations.push(ms);
      if (durations.length > MAX_SAMPLES) durations.shift();
    },
    isTooShort: remainingMs => durations.length >= MIN_SAMPLES && remainingMs < Math.min(...durations),
  };
}
