import type { AnswerPiece, TranscriptPiece } from '../../queues/contract/answer-piece.ts';

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

/** A question that was spoken, which the client is sent once, and whole. */
export class TranscriptText {
  #version: number | undefined;
  #text = '';
  #isWhole = false;
  #isTaken = false;

  get isTaken(): boolean {
    return this.#isTaken;
  }

  add({ version, at, heard, length }: TranscriptPiece): void {
    if (this.#isWhole) return;
    if (version > (this.#version ?? Number.NEGATIVE_INFINITY)) {
      this.#version = version;
      this.#text = '';
    }
    if (version !== this.#version || at !== this.#text.length) return;
    this.#text += heard;
    this.#isWhole = this.#text.length === length;
  }

  /** The whole question, from the reply. */
  end(question: string): void {
    if (!this.#isWhole) this.#text = question;
    this.#isWhole = true;
  }

  /** Undefined where it is not whole yet, or the client has it. */
  take(): string | undefined {
    if (!this.#isWhole || this.#isTaken) return undefined;
    this.#isTaken = true;
    return this.#text;
  }
}
