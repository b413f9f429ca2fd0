/*
 * This process holds bytes for callers: bodies that are being read, answers that are not sent yet. All callers share `max`, of
 * which a key (a host, a token) has at most `maxPerKey`; a key that holds hardly anything is never refused because of the others.
 */

export interface ByteLimits {
  readonly max: number;
  readonly maxPerKey: number;
  /** A key may always hold this much, whatever the others hold. */
  readonly sure: number;
}

export interface Held {
  /** Changes the number of bytes held. The size is known only afterwards, so it may exceed the room. */
  change(bytes: number): void;
  /** Safe to call twice. */
  release(): void;
}

interface Waiting {
  readonly key: string;
  readonly bytes: number;
  begin(held: Held): void;
}

export class ByteBudget {
  readonly #limits: ByteLimits;
  readonly #byKey = new Map<string, number>();
  #total = 0;
  #waiting: Waiting[] = [];

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  get total(): number {
    return this.#total;
  }

  /** Undefined if there is no room. */
  take(key: string, bytes: number): Held | undefined {
    return this.#hasRoom(key, bytes) ? this.#hold(key, bytes) : undefined;
  }

  /** Waits for room; the waiting key that holds least comes first. Undefined if it was aborted meanwhile. */
  async wait(key: string, bytes: number, signal: AbortSignal): Promise<Held | undefined> {
    if (signal.aborted) return undefined;
    return (
      this.take(key, bytes) ??
      new Promise(resolve => {
        const giveUp = () => {
          this.#waiting = this.#waiting.filter(each => each !== own);
          resolve(undefined);
        };
        const own: Waiting = {
          key,
          bytes,
          begin: held => {
            signal.removeEventListener('abort', giveUp);
            resolve(held);
          },
        };
        signal.addEventListener('abort', giveUp, { once: true });
        this.#waiting.push(own);
      })
    );
  }

  #ownOf(key: string): number {
    return this.#byKey.get(key) ?? 0;
  }

  #hasRoom(key: string, bytes: number): boolean {
    const own = this.#ownOf(key) + bytes;
    const { max, maxPerKey, sure } = this.#limits;
    return own <= sure || (own <= maxPerKey && this.#total + bytes <= max);
  }

  #hold(key: string, bytes: number): Held {
    let holds = 0;
    let isReleased = false;
    const change = (to: number) => {
      if (isReleased || to === holds) return;
      const own = this.#ownOf(key) + to - holds;
      const isLess = to < holds;
      this.#total += to - holds;
      holds = to;
      if (own === 0) this.#byKey.delete(key);
      else this.#byKey.set(key, own);
      if (isLess) this.#beginWaiting();
    };
    change(bytes);
    return {
      change,
      release: () => {
        change(0);
        isReleased = true;
      },
    };
  }

  #beginWaiting(): void {
    if (this.#waiting.length === 0) return;
    const inTurn = this.#waiting.toSorted((a, b) => this.#ownOf(a.key) - this.#ownOf(b.key));
    const begun = new Set<Waiting>();
    for (const each of inTurn) {
      if (!this.#hasRoom(each.key, each.bytes)) continue;
      begun.add(each);
      each.begin(this.#hold(each.key, each.bytes));
    }
    this.#waiting = this.#waiting.filter(each => !begun.has(each));
  }
}
