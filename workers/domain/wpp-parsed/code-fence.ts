import { CHAR } from '../../../text/char-kind.ts';

/** A code block. Its lines are kept verbatim, except for the indent of the fence. */
export class CodeFence {
  readonly info: string;
  readonly #sign: number;
  readonly #length: number;
  readonly #indent: number;
  #lines: string[] = [];
  #heldLength = 0;
  #hasStarted = false;

  private constructor(sign: number, length: number, info: string, indent: number) {
    this.#sign = sign;
    this.#length = length;
    this.info = info;
    this.#indent = indent;
  }

  static open(body: string, indent: number): CodeFence | undefined {
    const sign = body.charCodeAt(0);
    if (sign !== CHAR.backQuote && sign !== CHAR.tilde) return undefined;
    const length = runEnd(body, 0, sign);
    const info = body.slice(length).trim();
    if (length < 3 || (sign === CHAR.backQuote && info.includes('`'))) return undefined;
    return new CodeFence(sign, length, info, indent);
  }

  /** Models put Markdown into a fence, whose marks nobody on WhatsApp wants to see. */
  get isMarkdown(): boolean {
    return /^(?:markdown|md|mdx|gfm)$/i.test(this.info);
  }

  isClosedBy(body: string): boolean {
    return body.length >= this.#length && runEnd(body, 0, this.#sign) === body.length;
  }

  add(line: string): void {
    const margin = Math.min(line.length - line.trimStart().length, this.#indent);
    this.#lines.push(line.slice(margin));
    this.#heldLength += line.length + 1;
  }

  /** Length of the lines that are not written yet. */
  get heldLength(): number {
    return this.#heldLength;
  }

  /** Whether a part of it was already written. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  get isEmpty(): boolean {
    return !this.#hasStarted && this.info === '' && this.code === '';
  }

  get code(): string {
    return this.#lines.join('\n').trim();
  }

  /** Back-quotes, even for a fence of tildes: WhatsApp has no other marks for code. */
  get ticks(): string {
    return '`'.repeat(this.#length);
  }

  /** The lines that are not written yet, including the opening one. */
  takeLines(): readonly string[] {
    const lines = this.#hasStarted ? this.#lines : [this.ticks + this.info, ...this.#lines];
    this.#lines = [];
    this.#heldLength = 0;
    this.#hasStarted = true;
    return lines;
  }
}

export function runEnd(text: string, start: number, code: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) === code) at++;
  return at;
}

/** Returns, for each run of back-quotes by position, the start of the next run of the same length. */
export function codeSpanClosersOf(text: string): ReadonlyMap<number, number> {
  const closers = new Map<number, number>();
  const lastOfLength = new Map<number, number>();
  let start = text.indexOf('`');
  while (start >= 0) {
    const end = runEnd(text, start, CHAR.backQuote);
    const opener = lastOfLength.get(end - start);
    if (opener !== undefined) closers.set(opener, start);
    lastOfLength.set(end - start, start);
    start = text.indexOf('`', end);
  }
  return closers;
}
