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
    // There is a listener for each work under way: Node would take more than ten for a leak.
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
