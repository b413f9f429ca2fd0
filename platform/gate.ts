/*
 * Limits how much work runs at a time, in all and for each key (a host, a token). Waiting work begins round-robin over the keys,
 * and in order of arrival within a key: nobody waits behind all the work of another.
 */

/** Sums of weights. */
export interface GateLimits {
  readonly maxTotal: number;
  readonly maxPerKey: number;
}

export interface GateEntry {
  readonly key: string;
  /** At most `maxPerKey`; 1 by default. */
  readonly weight?: number;
  /** Work that is aborted while it waits does not run. */
  readonly signal?: AbortSignal;
  /** Makes that signal; called only if the work has to wait. */
  startLimit?(): AbortSignal;
}

/**
 * Pauses for work that blocks the event loop. Its place stays empty for this many times as long as the work took, so that the
 * process can do everything else.
 */
export interface Pauses {
  readonly forAll: number;
  /** The pause before the next work of the same key; at least the pause for all, which is the default. */
  readonly forKey?: number;
}

interface Waiting {
  readonly weight: number;
  begin(): void;
}

const MIN_PAUSE_MS = 5;

export class Gate {
  readonly #limits: GateLimits;
  readonly #pauses: Pauses | undefined;
  /** Keys in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #running = new Map<string, number>();
  #total = 0;

  constructor(limits: GateLimits, pauses?: Pauses) {
    this.#limits = limits;
    this.#pauses = pauses;
  }

  /** Runs the work when its turn comes. Rejects without running it if it is aborted first. */
  async run<T>(entry: GateEntry, work: () => Promise<T> | T): Promise<T> {
    const turn = this.enter(entry);
    if (turn) await turn;
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.#leaveAfter(performance.now() - startedAt, entry);
    }
  }

  /** Takes a place if one is free, and says so; `leave` must follow then. */
  tryEnter({ key, weight = 1 }: GateEntry): boolean {
    const isFree = this.#waiting.size === 0 && this.#hasRoomOf(key, weight) && this.#hasRoom(weight);
    if (isFree) this.#count(key, weight);
    return isFree;
  }

  /** Undefined if the work may begin at once. `leave` must follow, unless the promise rejects because of an abort. */
  enter(entry: GateEntry): Promise<void> | undefined {
    const { key, weight = 1, signal: given, startLimit } = entry;
    given?.throwIfAborted();
    if (this.tryEnter(entry)) return undefined;
    const signal = given ?? startLimit?.();
    let isBegun = false;
    const turn = new Promise<void>((resolve, reject) => {
      const stop = () => {
        this.#remove(key, own);
        this.#beginWaiting();
        reject(signal?.reason as Error);
      };
      const begin = () => {
        isBegun = true;
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      const own = { weight, begin };
      signal?.addEventListener('abort', stop, { once: true });
      const queue = this.#waiting.get(key);
      if (queue) queue.push(own);
      else this.#waiting.set(key, [own]);
    });
    this.#beginWaiting();
    return isBegun ? undefined : turn;
  }

  leave({ key, weight = 1 }: GateEntry): void {
    this.#count(key, -weight);
    this.#beginWaiting();
  }

  #leaveAfter(tookMs: number, { key, weight = 1 }: GateEntry): void {
    if (!this.#pauses) return this.leave({ key, weight });
    const { forAll, forKey = forAll } = this.#pauses;
    const after = (pause: number, leave: () => void) => {
      const leaveAndBegin = () => {
        leave();
        this.#beginWaiting();
      };
      if (tookMs < 1) setImmediate(leaveAndBegin);
      else setTimeout(leaveAndBegin, MIN_PAUSE_MS + pause * tookMs);
    };
    after(forAll, () => (this.#total -= weight));
    after(forKey, () => this.#countOfKey(key, -weight));
  }

  #beginWaiting(): void {
    for (const [key, queue] of this.#waiting) {
      const [first] = queue;
      if (!first || !this.#hasRoomOf(key, first.weight)) continue;
      // Lighter work behind it must not pass: the heavy one would starve.
      if (!this.#hasRoom(first.weight)) return;
      this.#remove(key, first);
      // Other keys come first; this loop visits the key again.
      if (this.#waiting.delete(key)) this.#waiting.set(key, queue);
      this.#count(key, first.weight);
      first.begin();
    }
  }

  #hasRoom(weight: number): boolean {
    return this.#total + weight <= this.#limits.maxTotal;
  }

  #hasRoomOf(key: string, weight: number): boolean {
    return (this.#running.get(key) ?? 0) + weight <= this.#limits.maxPerKey;
  }

  #count(key: string, change: number): void {
    this.#total += change;
    this.#countOfKey(key, change);
  }

  #countOfKey(key: string, change: number): void {
    const running = (this.#running.get(key) ?? 0) + change;
    if (running === 0) this.#running.delete(key);
    else this.#running.set(key, running);
  }

  #remove(key: string, waiting: Waiting): void {
    const queue = this.#waiting.get(key);
    const at = queue?.indexOf(waiting) ?? -1;
    if (at >= 0) queue?.splice(at, 1);
    if (queue?.length === 0) this.#waiting.delete(key);
  }
}
