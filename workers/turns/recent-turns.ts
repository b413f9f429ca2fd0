/** How long the model took for the last turns of this process. */
export interface RecentTurns {
  note(ms: number): void;
  /** Whether a turn with so much time left could not be finished by any pace seen lately. */
  isTooLate(remainingMs: number): boolean;
}

/** Fewer tell too little. */
const FEWEST = 8;
const MOST = 32;

export function makeRecentTurns(): RecentTurns {
  const spans: number[] = [];
  return {
    note(ms) {
      spans.push(ms);
      if (spans.length > MOST) spans.shift();
    },
    isTooLate: remainingMs => spans.length >= FEWEST && remainingMs < Math.min(...spans),
  };
}
