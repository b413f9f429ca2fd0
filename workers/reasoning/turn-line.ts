/**
 * Turns of one conversation within this process, first come first served. It only spares the database: that
 * one turn runs at a time, over all processes, is decided there.
 */
export interface TurnLine {
  /** Resolves with `leave` once it is this turn's time; rejects when the signal is aborted first. */
  enter(conversationId: string, arrivedAt: number, signal: AbortSignal): Promise<() => void>;
  isFree(conversationId: string): boolean;
}

interface Waiting {
  readonly arrivedAt: number;
  readonly go: () => void;
}

export function makeTurnLine(): TurnLine {
  /** Those who wait, for each conversation that somebody has. */
  const lines = new Map<string, Waiting[]>();
  const leave = (conversationId: string) => {
    const next = lines.get(conversationId)?.shift();
    if (next) next.go();
    else lines.delete(conversationId);
  };
  return {
    isFree: conversationId => !lines.has(conversationId),
    async enter(conversationId, arrivedAt, signal) {
      const line = lines.get(conversationId);
      if (line) await turnIn(line, arrivedAt, signal);
      else lines.set(conversationId, []);
      return () => leave(conversationId);
    },
  };
}

/** Jobs taken up together may get here in any order: what counts is when their requests came. */
function turnIn(line: Waiting[], arrivedAt: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      line.splice(line.indexOf(waiting), 1);
      reject(signal.reason as Error);
    };
    const go = () => {
      signal.removeEventListener('abort', stop);
      resolve();
    };
    const waiting = { arrivedAt, go };
    if (signal.aborted) return reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    line.splice(line.findLastIndex(other => other.arrivedAt <= arrivedAt) + 1, 0, waiting);
  });
}
