import { setTimeout as delay } from 'node:timers/promises';

/** The shortest pause. Other workers may take what this one may not. */
const MIN_PAUSE_MS = 40;
/** The pause is this many times as long as the last take: passing over 10,000 jobs takes the store 10 ms. */
const PAUSE_IN_TAKES = 10;
/** The longest pause, also after a take that lasted long because the store stood still. */
const MAX_PAUSE_MS = 250;

/** How long a worker waits while all jobs that wait are of hosts at their limit. Nothing wakes it when it may take one. */
export class LimitPause {
  isNeeded = false;
  #ms = MIN_PAUSE_MS;

  noteTakeTime(takeMs: number): void {
    this.#ms = Math.min(Math.max(MIN_PAUSE_MS, PAUSE_IN_TAKES * takeMs), MAX_PAUSE_MS);
  }

  async wait(): Promise<null> {
    return delay(this.#ms, null);
  }
}
