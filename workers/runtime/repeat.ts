export interface RepeatedWork {
  /** Tells what is under way to come to an end, and waits for it. */
  stop(): Promise<void>;
}

/**
 * Has work done every so often, never a second time beside itself: what takes longer than the interval is not started
 * again meanwhile. What goes wrong is told, and tried again at the next turn.
 */
export function repeat(
  everyMs: number,
  work: (stopping: AbortSignal) => Promise<unknown>,
  onError: (error: unknown) => void,
): RepeatedWork {
  const stopping = new AbortController();
  let underWay: Promise<void> | undefined;
  const once = async () => {
    try {
      await work(stopping.signal);
    } catch (error) {
      onError(error);
    }
    underWay = undefined;
  };
  const timer = setInterval(() => {
    underWay ??= once();
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await underWay;
    },
  };
}
