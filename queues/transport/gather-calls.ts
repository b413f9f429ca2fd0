/** One call may hold this many; a longer script would delay others. */
const MAX_GATHERED = 64;

interface Waiting<Call, Result> {
  readonly call: Call;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Collects the calls of one turn of the event loop, and makes them together; the results come in the same order. */
export function gatherCalls<Call, Result>(
  makeCalls: (calls: readonly Call[]) => Promise<readonly Result[]>,
): (call: Call) => Promise<Result> {
  let waiting: Waiting<Call, Result>[] = [];
  const send = (sent: readonly Waiting<Call, Result>[]) => {
    makeCalls(sent.map(({ call }) => call)).then(
      results => sent.forEach(({ resolve }, at) => resolve(results[at] as Result)),
      error => sent.forEach(({ reject }) => reject(error)),
    );
  };
  const sendAll = () => {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += MAX_GATHERED) send(all.slice(from, from + MAX_GATHERED));
  };
  return call =>
    new Promise((resolve, reject) => {
      if (waiting.push({ call, resolve, reject }) === 1) setImmediate(sendAll);
    });
}
