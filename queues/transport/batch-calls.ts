/** One call may hold this many, and this much text unless it is of one alone; a longer script would delay others. */
export const MAX_BATCHED = 64;
const MAX_BATCHED_LENGTH = 500_000;

interface BatchedCall<Call, Result> {
  readonly call: Call;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Collects the calls of one tick of the event loop, and makes them together; the results come in the same order. */
export function batchCalls<Call, Result>(
  lengthOf: (call: Call) => number,
  makeCalls: (calls: readonly Call[]) => Promise<readonly Result[]>,
  maxBatched = MAX_BATCHED,
): (call: Call) => Promise<Result> {
  let waiting: BatchedCall<Call, Result>[] = [];
  let length = 0;
  const send = () => {
    const sent = waiting;
    waiting = [];
    length = 0;
    if (sent.length === 0) return;
    makeCalls(sent.map(({ call }) => call)).then(
      results => sent.forEach(({ resolve }, at) => resolve(results[at] as Result)),
      error => sent.forEach(({ reject }) => reject(error)),
    );
  };
  return call =>
    new Promise((resolve, reject) => {
      const added = lengthOf(call);
      if (waiting.length === maxBatched || length + added > MAX_BATCHED_LENGTH) send();
      if (waiting.length === 0) setImmediate(send);
      waiting.push({ call, resolve, reject });
      length += added;
    });
}
