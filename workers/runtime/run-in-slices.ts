import { setImmediate } from 'node:timers/promises';

const MAX_SLICE_MS = 10;

/** Runs a generator to its end and yields to the event loop every few milliseconds; ends early when the signal aborts. */
export async function runInSlices<T>(steps: Generator<void, T>, signal?: AbortSignal): Promise<T> {
  let until = performance.now() + MAX_SLICE_MS;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < until) continue;
    await setImmediate();
    signal?.throwIfAborted();
    until = performance.now() + MAX_SLICE_MS;
  }
}
