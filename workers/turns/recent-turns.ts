/** The durations of the model for the last turns of this process. */
export interface RecentTurns {
  note(ms: number): void;
  /** Whether even the fastest of the recent turns took longer than the remaining time. */
  isTooLate(remainingMs: number): boolean;
}

/** Fewer durations are no basis for a refusal. */
const FEWEST_SAMPLES = 8;
const MOST_SAMPLES = 32;

export function makeRecentTurns(): RecentTurns {
  const durations: number[] = [];
  return {
    note(ms) {
      durations.push(ms);
      if (durations.length > MOST_SAMPLES) durations.shift();
    },
    isTooLate: remainingMs => durations.length >= FEWEST_SAMPLES && remainingMs < Math.min(...durations),
  };
}
