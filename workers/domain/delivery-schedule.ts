const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses before the attempts after the first. */
const pauses = [
  5 * SECOND,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** The part of a pause that may be added to it, so that simultaneous failures are not retried together. */
const JITTER = 0.1;

/** A little longer than all pauses with their jitter, and the time of the attempts. */
export const SCHEDULE_MS = 90 * HOUR;

/** Returns the pause after this many failed attempts; null after the last. `random` is from 0 to 1. */
export function pauseBeforeNext(failedAttempts: number, random: number): number | null {
  const pause = pauses[failedAttempts - 1];
  return pause === undefined ? null : Math.round(pause * (1 + JITTER * random));
}
