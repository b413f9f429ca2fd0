import { CHAR } from './char-kind.ts';
import { runEnd } from './code-spans.ts';

/** A block of code from its opening line on: its lines are kept to the letter, but for the fence's own indent. */
export class CodeFence {
  readonly info: string;
  readonly #sign: number;
  readonly #length: number;
  readonly #indent: number;
  readonly #lines: string[] = [];

  private constructor(sign: number, length: number, info: string, indent: number) {
    this.#sign = sign;
    this.#length = length;
    this.info = info;
    this.#indent = indent;
  }

  static openedBy(body: string, indent: number): CodeFence | undefined {
    const sign = body.charCodeAt(0);
    if (sign !== CHAR.backQuote && sign !== CHAR.tilde) return undefined;
    const length = runEnd(body, 0, sign);
    const info = body.slice(length).trim();
    if (length < 3 || (sign === CHAR.backQuote && info.includes('`'))) return undefined;
    return new CodeFence(sign, length, info, indent);
  }

  isClosedBy(body: string): boolean {
    return body.length >= this.#length && runEnd(body, 0, this.#sign) === body.length;
  }

  add(line: string): void {
    const margin = Math.min(line.length - line.trimStart().length, this.#indent);
    this.#lines.push(line.slice(margin));
  }

  get code(): string {
    return this.#lines.join('\n').trim();
  }

  /** With back-quotes, also where the fence was of tildes: WhatsApp knows no other. */
  get lines(): readonly string[] {
    const ticks = '`'.repeat(this.#length);
    return [ticks + this.info, ...this.#lines, ticks];
  }
}
