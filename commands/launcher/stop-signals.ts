/** One Ctrl-C arrives twice: from the terminal, which asks the whole group, and from npm, which passes it on. */
const SAME_PRESS_MS = 500;

export interface StopSignals {
  readonly stop: AbortSignal;
  /** A second Ctrl-C: the person does not want to wait. */
  readonly hurry: AbortSignal;
}

/** From now on signals no longer end this process; the caller has to. */
export function listenForStop(): StopSignals {
  const stop = new AbortController();
  const hurry = new AbortController();
  let firstAt = 0;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      firstAt ||= Date.now();
      stop.abort();
      if (signal === 'SIGINT' && Date.now() - firstAt > SAME_PRESS_MS) hurry.abort();
    });
  }
  return { stop: stop.signal, hurry: hurry.signal };
}

export function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** What was promised, unless we are told to stop before. */
export async function raceWithStop<T>(promise: Promise<T>, stop: AbortSignal): Promise<T> {
  const stopped = waitForAbort(stop).then(() => Promise.reject(new Error('told to stop')));
  return Promise.race([promise, stopped]);
}
