export interface RepeatedWork {
  /** Aborts the run in progress and waits for its end. */
  stop(): Promise<void>;
}

/**
 * Runs the work at an interval and never concurrently with itself: a tick during a run is skipped. An error goes to
 * `onError`, and the next tick tries again.
 */
export function repeat(
  everyMs: number,
  work: (stopping: AbortSignal) => Promise<unknown>,
  onError: (error: unknown) => void,
): RepeatedWork {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const runOnce = async () => {
    try {
      await work(stopping.signal);
    } catch (error) {
      onError(error);
    }
    running = undefined;
  };
  const timer = setInterval(() => {
    running ??= runOnce();
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
