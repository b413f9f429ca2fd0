const SLICE_MS = 5;

/** What waits for a later turn of the event loop, in the order of arrival. */
const waiting: (() => void)[] = [];
/** Until when steps go on in this turn; undefined: none has begun in it. */
let turnUntil: number | undefined;

/**
 * Runs a generator to its end, and leaves the event loop to everything else every few milliseconds; ends early when the signal
 * aborts. All such generators together have one slice in a turn of the loop.
 */
export async function runInSlices<T>(steps: Generator<void, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    // 60 that ended in 4 ms each held a turn for 280 ms when they began together.
    if (isOver()) {
      await nextTurn();
      signal?.throwIfAborted();
    }
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function isOver(): boolean {
  turnUntil ??= beginTurn();
  return performance.now() >= turnUntil;
}

function beginTurn(): number {
  setImmediate(() => (turnUntil = undefined));
  return performance.now() + SLICE_MS;
}

function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  turnUntil ??= beginTurn();
  waiting.shift()?.();
  if (waiting.length === 0) return;
  // After all that follows from it: a job that was opened is answered before the next one is opened.
  queueMicrotask(() => process.nextTick(() => (isOver() ? setImmediate(goOn) : goOn())));
}
