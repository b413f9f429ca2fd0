/*
 * Makes calls in batches: all of one moment, and all that come while earlier batches run. A rush needs few statements this
 * way, and a single call does not wait.
 */

export interface BatchOptions<Call, Result> {
  /** The results come in the order of the calls. */
  makeCalls(calls: readonly Call[]): Promise<readonly Result[]>;
  /** Begins a batch; the returned function says whether the next call still fits. The first always does. */
  startBatch(): (call: Call) => boolean;
  /** Calls of different keys share no batch, and do not wait for each other. */
  keyOf?(call: Call): string;
  /**
   * Whether the calls of a batch that failed with this error are repeated one by one, so that a bad call fails alone. By default
   * they are not.
   */
  mayCallAlone?(error: unknown): boolean;
  /** How many of the repeated calls run at a time; 1 by default. */
  maxAlone?: number;
  /** How many batches of a key run at a time; 1 by default. */
  maxRunning?: number;
}

interface WaitingCall<Call, Result> {
  readonly call: Call;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

interface Lane<Call, Result> {
  waiting: WaitingCall<Call, Result>[];
  running: number;
  isScheduled: boolean;
}

export function batchCalls<Call, Result>({
  makeCalls,
  startBatch,
  keyOf = () => '',
  mayCallAlone = () => false,
  maxAlone = 1,
  maxRunning = 1,
}: BatchOptions<Call, Result>): (call: Call) => Promise<Result> {
  const lanes = new Map<string, Lane<Call, Result>>();

  function runWaiting(key: string, lane: Lane<Call, Result>): void {
    lane.isScheduled = false;
    while (lane.waiting.length > 0 && lane.running < maxRunning) {
      lane.running += 1;
      void runBatch(takeBatch(lane, startBatch())).then(() => {
        lane.running -= 1;
        runWaiting(key, lane);
      });
    }
    if (lane.running === 0) lanes.delete(key);
  }

  async function runBatch(batch: readonly WaitingCall<Call, Result>[]): Promise<void> {
    try {
      const results = await makeCalls(batch.map(({ call }) => call));
      batch.forEach(({ resolve }, at) => resolve(results[at] as Result));
    } catch (error) {
      if (batch.length === 1 || !mayCallAlone(error)) for (const { reject } of batch) reject(error);
      else
        for (let at = 0; at < batch.length; at += maxAlone)
          await Promise.all(batch.slice(at, at + maxAlone).map(waiting => runBatch([waiting])));
    }
  }

  return call =>
    new Promise((resolve, reject) => {
      const key = keyOf(call);
      const lane = lanes.get(key) ?? { waiting: [], running: 0, isScheduled: false };
      lanes.set(key, lane);
      lane.waiting.push({ call, resolve, reject });
      if (lane.isScheduled || lane.running === maxRunning) return;
      // Entries of the same moment go together.
      lane.isScheduled = true;
      setImmediate(() => runWaiting(key, lane));
    });
}

function takeBatch<Call, Result>(
  lane: Lane<Call, Result>,
  fits: (call: Call) => boolean,
): WaitingCall<Call, Result>[] {
  const end = lane.waiting.findIndex(({ call }, at) => !fits(call) && at > 0);
  return lane.waiting.splice(0, end < 0 ? lane.waiting.length : end);
}

/** Batches of at most `max` calls, whose sizes together are at most `maxSize` unless the batch is of one call. */
export function upTo<Call>(
  max: number,
  sizeOf: (call: Call) => number = () => 0,
  maxSize = 0,
): () => (call: Call) => boolean {
  return () => {
    let count = 0;
    let size = 0;
    return call => {
      count += 1;
      size += sizeOf(call);
      return count <= max && size <= maxSize;
    };
  };
}
