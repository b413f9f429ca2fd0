const CHARACTER_CODES = 0x1_0000;

/**
 * Finds which of many strings occur in a text in one pass (Aho–Corasick): time is proportional to the sum of the
 * lengths of text and strings. A state is the longest prefix of any string that is a suffix of the text read so far;
 * its fallback is the next shorter one.
 */
export class StringSearch {
  readonly #strings: readonly string[];
  /** Ids from 1 for the characters that occur in the strings; 0 for all others. */
  readonly #idOf = new Uint32Array(CHARACTER_CODES);
  #idCount = 1;
  /** The next state, by state and character. */
  readonly #edges = new Map<number, number>();
  readonly #fallbacks = [0];
  readonly #endOf = new Map<string, number>();
  readonly #isSeen = [true];
  #state = 0;

  private constructor(strings: readonly string[]) {
    this.#strings = [...new Set(strings)];
  }

  static *of(strings: readonly string[]): Generator<void, StringSearch> {
    const search = new StringSearch(strings);
    yield* search.#numberCharacters();
    yield* search.#addStrings();
    return search;
  }

  /** Continues the previous text. */
  read(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const id = this.#idOf[text.charCodeAt(at)] ?? 0;
      this.#state = id === 0 ? 0 : this.#next(this.#state, id);
      if (!this.#isSeen[this.#state]) this.#markSeen(this.#state);
    }
  }

  /** Starts a new text: no match spans two texts. */
  startText(): void {
    this.#state = 0;
  }

  /** Whether this string, which was searched for, occurred. */
  hasSeen(string: string): boolean {
    return this.#isSeen[this.#endOf.get(string) ?? -1] ?? false;
  }

  *#numberCharacters(): Generator<void, void> {
    for (const string of this.#strings) {
      for (let at = 0; at < string.length; at++) {
        const code = string.charCodeAt(at);
        if (this.#idOf[code] === 0) this.#idOf[code] = this.#idCount++;
      }
      yield;
    }
  }

  /** Goes breadth first: a fallback is shorter than its state, so it exists before it. */
  *#addStrings(): Generator<void, void> {
    let open = this.#strings.map(string => ({ string, state: 0 }));
    for (let at = 0; open.length > 0; at++) {
      for (const entry of open) {
        if (at === entry.string.length) this.#endOf.set(entry.string, entry.state);
        else entry.state = this.#addEdge(entry.state, this.#idOf[entry.string.charCodeAt(at)] ?? 0);
      }
      open = open.filter(({ string }) => string.length > at);
      yield;
    }
  }

  #addEdge(from: number, id: number): number {
    const key = from * this.#idCount + id;
    const known = this.#edges.get(key);
    if (known !== undefined) return known;
    const state = this.#fallbacks.length;
    this.#fallbacks.push(from === 0 ? 0 : this.#next(this.#fallbacks[from] ?? 0, id));
    this.#isSeen.push(false);
    this.#edges.set(key, state);
    return state;
  }

  #next(from: number, id: number): number {
    for (let state = from; ; state = this.#fallbacks[state] ?? 0) {
      const next = this.#edges.get(state * this.#idCount + id);
      if (next !== undefined || state === 0) return next ?? 0;
    }
  }

  #markSeen(from: number): void {
    for (let state = from; !this.#isSeen[state]; state = this.#fallbacks[state] ?? 0)
      this.#isSeen[state] = true;
  }
}
