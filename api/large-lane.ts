/*
 * Parsing, checking and sealing a large body holds the event loop for some tens of milliseconds. Many that are through at
 * the same moment would hold it for all of theirs together, and then the queue's store and the workers, too; so they pass
 * one after the other, the tokens in turn, and after each there is a pause in which all processes are done with it.
 */

export interface LargeLane {
  /** Runs the work when it is its turn; not at all, and gives undefined, where nobody waits for it any more. */
  run<T>(key: string, work: () => Promise<T>, isGone: () => boolean): Promise<T | undefined>;
}

/** Parsing is about a seventh of what a body costs all processes together. */
const PAUSE_FOR_EACH = 6;
const SHORTEST_PAUSE_MS = 5;

export function makeLargeLane(pauseForEach = PAUSE_FOR_EACH): LargeLane {
  const waiting = new Map<string, (() => void)[]>();
  let isTaken = false;

  function startNext(): void {
    const [first] = waiting;
    isTaken = first !== undefined;
    if (!first) return;
    const [key, queue] = first;
    const begin = queue.shift();
    waiting.delete(key);
    // Behind those of the other tokens.
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
        else setTimeout(startNext, SHORTEST_PAUSE_MS + pauseForEach * tookMs);
      }
    },
  };
}
