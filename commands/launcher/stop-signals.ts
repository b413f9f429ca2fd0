/** Ctrl-C arrives twice within this time: from the terminal, which signals the group, and from npm, which forwards it. */
const SAME_PRESS_MS = 500;

export interface StopSignals {
  readonly stop: AbortSignal;
  /** Aborted by a second Ctrl-C, which means: stop at once. */
  readonly forceStop: AbortSignal;
}

/** Handles signals, which no longer end this process: the caller must. */
export function listenForStop(): StopSignals {
  const stop = new AbortController();
  const forceStop = new AbortController();
  let firstAt = 0;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      firstAt ||= Date.now();
      stop.abort();
      if (signal === 'SIGINT' && Date.now() - firstAt > SAME_PRESS_MS) forceStop.abort();
    });
  }
  return { stop: stop.signal, forceStop: forceStop.signal };
}
