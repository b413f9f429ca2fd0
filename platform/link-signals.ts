import { setMaxListeners } from 'node:events';

interface LinkedSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * A signal that ends with the first of these, until it is disposed of: for work that leaves listeners behind, as clients do. Node 20, and
 * 22 once they have ended, never free a signal of `AbortSignal.any` that has a listener.
 */
export function linkSignals(...sources: readonly AbortSignal[]): LinkedSignal {
  const controller = new AbortController();
  const unlinks = sources.map(source => {
    const end = () => controller.abort(source.reason);
    // Each running work adds a listener: Node would report more than ten as a leak.
    setMaxListeners(0, source);
    if (source.aborted) end();
    else source.addEventListener('abort', end, { once: true });
    return () => source.removeEventListener('abort', end);
  });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const unlink of unlinks) unlink();
    },
  };
}

/** Rejects when the signal is aborted; raced against work that may ignore the signal. */
export function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Rejects if the work takes longer than the limit; the work itself is not cancelled. */
export async function withinMs<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`timed out after ${limitMs} ms`)), limitMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
