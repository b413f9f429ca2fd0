/*
 * Collects events into batches.
 *
 *   empty -> collecting -> due -> taken
 *
 * - The age of an event counts from when its outbox line was written, not from when it arrived here: a late event has
 *   less time left, and one older than the interval is due at once.
 * - A batch is due when it is full, or when its oldest event is one interval old. Events beyond a full batch wait for
 *   the next one, which may be due at once.
 * - Taking a batch merges the events of one record into the last one. Indexing reads the current record, so nothing is
 *   lost; but the batch names every merged event, because each is deleted when its record is indexed.
 * - The batcher has no clock and no timer: its owner passes the time.
 */

export interface BatchedEvent {
  readonly seq: string;
  readonly hostId: string;
  readonly originTable: string;
  readonly originId: string;
  readonly ageMs: number;
}

export interface MergedEvent<E extends BatchedEvent> {
  readonly last: E;
  readonly seqs: readonly string[];
}

export class Batcher<E extends BatchedEvent> {
  readonly #size: number;
  readonly #flushMs: number;
  #waiting: { readonly event: E; readonly addedAt: number }[] = [];

  constructor({ batchSize, flushMs }: { readonly batchSize: number; readonly flushMs: number }) {
    this.#size = batchSize;
    this.#flushMs = flushMs;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  add(events: readonly E[], now: number): void {
    for (const event of events) this.#waiting.push({ event, addedAt: now - event.ageMs });
  }

  /** Milliseconds until a batch is due; undefined without events. */
  dueInMs(now: number): number | undefined {
    if (this.#waiting.length === 0) return undefined;
    if (this.#waiting.length >= this.#size) return 0;
    const oldest = this.#waiting.reduce(
      (least, { addedAt }) => Math.min(least, addedAt),
      Number.POSITIVE_INFINITY,
    );
    return Math.max(oldest + this.#flushMs - now, 0);
  }

  take(now: number): MergedEvent<E>[] | undefined {
    if (this.dueInMs(now) !== 0) return undefined;
    return mergeEvents(this.#waiting.splice(0, this.#size).map(({ event }) => event));
  }
}

function mergeEvents<E extends BatchedEvent>(events: readonly E[]): MergedEvent<E>[] {
  const records = new Map<string, { last: E; seqs: string[] }>();
  for (const event of events) {
    const key = `${event.hostId} ${event.originTable} ${event.originId}`;
    const earlier = records.get(key);
    if (earlier) {
      earlier.last = event;
      earlier.seqs.push(event.seq);
    } else records.set(key, { last: event, seqs: [event.seq] });
  }
  return [...records.values()];
}
