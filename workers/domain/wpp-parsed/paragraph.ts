/**
 * The maximum length that is parsed at once: an endless paragraph would block the event loop. A longer one is parsed in pieces,
 * and a mark or link across their border stays text.
 */
export const MAX_PIECE_LENGTH = 14_000;

/**
 * Buffers the lines of a paragraph until the line that ends it is known. A paragraph that grows too long is flushed
 * early, except for its last line, which the next line may still turn into something else.
 */
export class Paragraph {
  #lines: string[] = [];
  #length = 0;
  #hasStarted = false;

  /** Whether a part of it was already written. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  get isEmpty(): boolean {
    return !this.#hasStarted && this.#lines.length === 0;
  }

  get isOneLine(): boolean {
    return !this.#hasStarted && this.#lines.length === 1;
  }

  get last(): string | undefined {
    return this.#lines.at(-1);
  }

  get isTooLong(): boolean {
    return this.#length > MAX_PIECE_LENGTH && this.#lines.length > 1;
  }

  add(line: string): void {
    this.#lines.push(line);
    this.#length += line.length + 1;
  }

  dropLast(): void {
    this.#length -= (this.#lines.pop()?.length ?? -1) + 1;
  }

  /** All lines except the last, with the line break. */
  takeBeginning(): string {
    const last = this.#lines.pop() ?? '';
    const beginning = `${this.#lines.join('\n')}\n`;
    this.#hasStarted = true;
    this.#lines = [last];
    this.#length = last.length;
    return beginning;
  }

  /** The remaining text; empties the paragraph. */
  takeRest(): string {
    const rest = this.#lines.join('\n');
    this.#lines = [];
    this.#length = 0;
    this.#hasStarted = false;
    return rest;
  }
}
