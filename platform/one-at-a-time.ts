interface WaitingCall<Call, Result> {
  readonly call: Call;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Makes one call at a time, with all that was asked for during the last one: a rush needs few statements, and a
 * single one does not wait. The results come in the same order.
 */
export function makeOneAtATime<Call, Result>(
  makeCalls: (calls: readonly Call[]) => Promise<readonly Result[]>,
  maxBatched: number,
): (call: Call) => Promise<Result> {
  const waiting: WaitingCall<Call, Result>[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxBatched);
      try {
        const results = await makeCalls(batch.map(({ call }) => call));
        batch.forEach(({ resolve }, at) => resolve(results[at] as Result));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isRunning = false;
  }

  return call =>
    new Promise((resolve, reject) => {
      waiting.push({ call, resolve, reject });
      // Those of the same moment go together.
      if (!isRunning) {
        isRunning = true;
        setImmediate(() => void run());
      }
    });
}
