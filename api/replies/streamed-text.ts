import type { AnswerPiece } from '../../queues/contract/answer-piece.ts';

/** What the client has to be sent next: more of the text, or all of it, because what it has is void. */
export interface TextChange {
  readonly kind: 'delta' | 'replace';
  readonly text: string;
}

/**
 * The text of an answer as far as its pieces came, and as far as the client has it. Pieces that do not join on are ignored:
 * the reply has the whole text.
 */
export class StreamedText {
  #version: number | undefined;
  #text = '';
  #sentLength = 0;
  #isVoid = false;

  add({ version, at, text }: AnswerPiece): void {
    if (version > (this.#version ?? Number.NEGATIVE_INFINITY)) this.#begin(version);
    if (version === this.#version && at === this.#text.length) this.#text += text;
  }

  /** The whole text, from the reply. */
  end(text: string): void {
    if (!text.startsWith(this.#text.slice(0, this.#sentLength))) this.#isVoid = this.#sentLength > 0;
    this.#text = text;
    if (this.#isVoid) this.#sentLength = 0;
  }

  /** Undefined where the client has all. */
  takeChange(): TextChange | undefined {
    const text = this.#text.slice(this.#sentLength);
    if (text === '' && !this.#isVoid) return undefined;
    const kind = this.#isVoid ? 'replace' : 'delta';
    this.#sentLength = this.#text.length;
    this.#isVoid = false;
    return { kind, text };
  }

  #begin(version: number): void {
    this.#version = version;
    this.#isVoid ||= this.#sentLength > 0;
    this.#text = '';
    this.#sentLength = 0;
  }
}
