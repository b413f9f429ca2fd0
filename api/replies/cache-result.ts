/** Runs the work at most once per interval; calls in between share the last result. */
export function cacheResultFor<T>(everyMs: number, work: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly result: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (!last || now - last.at >= everyMs) last = { at: now, result: work() };
    return last.result;
  };
}
