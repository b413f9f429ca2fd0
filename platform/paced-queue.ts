import { RoundRobin } from './round-robin.ts';

/*
 * Runs work that blocks the event loop for some tens of milliseconds: one piece after the other, round-robin over keys
 * (tokens, hosts), with a pause after each in which the process can do everything else.
 */

export interface PacedQueue {
  /** Runs the work when its turn comes; returns undefined without running it if nobody waits for it any more. */
  run<T>(key: string, work: () => Promise<T> | T, isGone?: () => boolean): Promise<T | undefined>;
}

const MIN_PAUSE_MS = 5;

/** Each pause lasts `pauseForEach` times as long as the work before it. */
export function makePacedQueue(pauseForEach: number): PacedQueue {
  const waiting = new RoundRobin<() => void>();
  let isTaken = false;

  function startNext(): void {
    const begin = waiting.take();
    isTaken = begin !== undefined;
    begin?.();
  }

  async function waitInLine(key: string): Promise<void> {
    if (isTaken) return new Promise(begin => waiting.add(key, begin));
    isTaken = true;
  }

  return {
    async run(key, work, isGone = () => false) {
      await waitInLine(key);
      const startedAt = performance.now();
      try {
        return isGone() ? undefined : await work();
      } finally {
        const tookMs = performance.now() - startedAt;
        if (tookMs < 1) setImmediate(startNext);
        else setTimeout(startNext, MIN_PAUSE_MS + pauseForEach * tookMs);
      }
    },
  };
}
