const SIGNS = 0x1_0000;

/**
 * Finds which of many strings stand in a text, in one pass over it (Aho–Corasick): the time grows with the length of
 * the text and of the strings, not with their product. A state is the longest beginning of any string that the text read
 * so far ends with; its fallback is the next shorter one.
 */
export class StringSearch {
  readonly #strings: readonly string[];
  /** From 1 on for each sign that occurs in a string; 0 is any other. */
  readonly #idOf = new Uint32Array(SIGNS);
  #idCount = 1;
  /** The state that a sign leads to, by state and sign. */
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
    yield* search.#countSigns();
    yield* search.#addStrings();
    return search;
  }

  /** Reads on where the text before ended. */
  read(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const id = this.#idOf[text.charCodeAt(at)] ?? 0;
      this.#state = id === 0 ? 0 : this.#next(this.#state, id);
      if (!this.#isSeen[this.#state]) this.#see(this.#state);
    }
  }

  /** What is read from here on does not belong to what was read before. */
  startText(): void {
    this.#state = 0;
  }

  /** Whether this string, one of those looked for, stands in what was read. */
  hasSeen(string: string): boolean {
    return this.#isSeen[this.#endOf.get(string) ?? -1] ?? false;
  }

  *#countSigns(): Generator<void, void> {
    for (const string of this.#strings) {
      for (let at = 0; at < string.length; at++) {
        const code = string.charCodeAt(at);
        if (this.#idOf[code] === 0) this.#idOf[code] = this.#idCount++;
      }
      yield;
    }
  }

  /** All first signs, then all second ones: whatever a state may fall back to is shorter and hence made before it. */
  *#addStrings(): Generator<void, void> {
    let open = this.#strings.map(string => ({ string, state: 0 }));
    for (let at = 0; open.length > 0; at++) {
      for (const entry of open) {
        if (at === entry.string.length) this.#endOf.set(entry.string, entry.state);
        else entry.state = this.#added(entry.state, this.#idOf[entry.string.charCodeAt(at)] ?? 0);
      }
      open = open.filter(({ string }) => string.length > at);
      yield;
    }
  }

  #added(from: number, id: number): number {
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

  /** With all that it ends with. */
  #see(from: number): void {
    for (let state = from; !this.#isSeen[state]; state = this.#fallbacks[state] ?? 0)
      this.#isSeen[state] = true;
  }
}
