/*
 * Parsing, validating and sealing a large body blocks the event loop for some tens of milliseconds. Many large bodies at
 * once would block it for the sum of that, and then load the queue store and the workers, too. So they are processed one
 * after the other, round-robin over the tokens, with a pause after each in which all processes can catch up.
 */

export interface LargeBodyQueue {
  /** Runs the work when its turn comes; returns undefined without running it if the client has disconnected. */
  run<T>(key: string, work: () => Promise<T>, isGone: () => boolean): Promise<T | undefined>;
}

/** Parsing takes about a seventh of the CPU time of a body over all processes; as much is left to others. */
const PAUSE_FOR_EACH = 12;
const MIN_PAUSE_MS = 5;

export function makeLargeBodyQueue(pauseForEach = PAUSE_FOR_EACH): LargeBodyQueue {
  const waiting = new Map<string, (() => void)[]>();
  let isTaken = false;

  function startNext(): void {
    const [first] = waiting;
    isTaken = first !== undefined;
    if (!first) return;
    const [key, queue] = first;
    const begin = queue.shift();
    waiting.delete(key);
    // Re-inserted at the end: the other tokens come first.
    if (queue.length > 0) waiting.set(key, queue);
    begin?.();
  }

  async function waitInLine(key: string): Promise<void> {
    if (isTaken) {
      return new Promise(begin => {
        const queue = waiting.get(key);
        if (queue) queue.push(begin);
        else waiting.set(key, [begin]);
      });
    }
    isTaken = true;
  }

  return {
    async run(key, work, isGone) {
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
