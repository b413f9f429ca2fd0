/** The same work, done at most once in so many milliseconds: who asks meanwhile shares what came of it. */
export function cacheResultFor<T>(everyMs: number, work: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly result: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (!last || now - last.at >= everyMs) last = { at: now, result: work() };
    return last.result;
  };
}
