const SLICE_MS = 5;

/** Generators that wait for a later turn of the event loop, in the order of arrival. */
const waiting: (() => void)[] = [];
/** When the slice of this turn ends; undefined if none has begun. */
let turnUntil: number | undefined;

/**
 * Runs a generator to its end, leaving the event loop to other work every few milliseconds; ends early when the signal aborts.
 * All such generators share one slice in each turn of the loop.
 */
export async function runInSlices<T>(steps: Generator<void, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    // Without this check, 60 generators of 4 ms each held a turn for 280 ms when they began together.
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
  // The next one waits until all consequences of this one ran: a job that was opened is answered before the next one is opened.
  queueMicrotask(() => process.nextTick(() => (isOver() ? setImmediate(goOn) : goOn())));
}
