/**
 * Turns of one conversation within this process, first come first served. It only spares the database: that
 * one turn runs at a time, over all processes, is decided there.
 */
export interface TurnLine {
  /** Resolves with `leave` once the turns before it have left; rejects when the signal is aborted first. */
  enter(conversationId: string, signal: AbortSignal): Promise<() => void>;
  isFree(conversationId: string): boolean;
}

export function makeTurnLine(): TurnLine {
  const tails = new Map<string, Promise<void>>();
  return {
    isFree: conversationId => !tails.has(conversationId),
    async enter(conversationId, signal) {
      const before = tails.get(conversationId);
      let leave = () => {};
      const mine = new Promise<void>(resolve => (leave = resolve));
      const tail = before ? before.then(() => mine) : mine;
      tails.set(conversationId, tail);
      void tail.then(() => {
        if (tails.get(conversationId) === tail) tails.delete(conversationId);
      });
      if (before) await beforeAbort(before, signal, leave);
      return leave;
    },
  };
}

async function beforeAbort(before: Promise<void>, signal: AbortSignal, leave: () => void): Promise<void> {
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    signal.throwIfAborted();
    await Promise.race([before, aborted]);
  } catch (error) {
    leave();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
