import { isBlank } from './char-kind.ts';
import type { WppItem } from './wpp-item.ts';

export const WHATSAPP_MARK = { bold: '*', italic: '_', strike: '~' } as const;

/** More than Markdown's own marks: what is left of `** [a](b) **` or of a list's marker is no message. */
const HAS_WORDS = /[^\s*_~#>|+-]/;

/**
 * Writes the items. Whatever may turn out to be left without words (list markers, emphasis marks, line breaks, spaces,
 * the bar between two cells) is held back until a word follows, and forgotten when none does. At an item that is no
 * text, and at a line's end, open styles are closed and opened again with the next word: WhatsApp knows no style that
 * runs over either.
 */
export class MessageWriter {
  readonly #items: WppItem[] = [];
  #text = '';
  #atLineStart = true;
  /** Held back inside a line. */
  #gap = '';
  /** Held back at a line's start: line breaks, 1 or 2, and what opens the line. */
  #breaks = 1;
  #quote = '';
  #marker = '';
  /** Margin that the text's first line had: a list that goes on behind an item starts at the left again. */
  #outdent = 0;
  #cells: 'none' | 'first' | 'later' = 'none';
  /** How often each mark is open; bold in bold is not marked again. */
  readonly #depth: Record<string, number> = {};
  /** The marks that are open, and how many of them, from the outermost, are written on this line. */
  readonly #marks: string[] = [];
  #written = 0;

  startLine(quote: string, marker: string, isAfterBlank: boolean): void {
    this.#endLine();
    if (isAfterBlank) this.#breaks = 2;
    this.#quote = quote;
    this.#marker = marker;
    this.#cells = 'none';
  }

  startCells(): void {
    this.#cells = 'first';
  }

  nextCell(): void {
    if (!this.#atLineStart) this.#gap += ' | ';
    else if (this.#cells === 'first') this.#marker += '| ';
  }

  /** A break inside a block; where nothing stands on the line yet, it makes a blank line. */
  lineBreak(): void {
    if (this.#cells !== 'none') this.#gap += ' ';
    else if (this.#atLineStart) this.#breaks = 2;
    else this.#endLine();
  }

  open(mark: string): void {
    const depth = (this.#depth[mark] ?? 0) + 1;
    this.#depth[mark] = depth;
    if (depth === 1) this.#marks.push(mark);
  }

  close(mark: string): void {
    const depth = (this.#depth[mark] ?? 0) - 1;
    this.#depth[mark] = depth;
    if (depth > 0) return;
    this.#marks.pop();
    if (this.#written <= this.#marks.length) return;
    this.#text += mark;
    this.#written = this.#marks.length;
  }

  write(text: string): void {
    let from = 0;
    while (from < text.length && isBlank(text.charCodeAt(from))) from++;
    if (from === text.length) {
      this.#gap += text;
      return;
    }
    let to = text.length;
    while (isBlank(text.charCodeAt(to - 1))) to--;
    this.#startWord(text.slice(0, from));
    this.#text += text.slice(from, to);
    this.#gap = text.slice(to);
  }

  /** Code: lines to the letter, their indent too. */
  verbatim(lines: readonly string[]): void {
    let isAfterBlank = false;
    for (const [index, line] of lines.entries()) {
      if (index > 0) this.startLine(this.#quote, '', isAfterBlank);
      isAfterBlank = line.trim() === '';
      if (isAfterBlank) continue;
      this.#startWord('');
      this.#text += line.trimEnd();
    }
  }

  item(item: WppItem): void {
    this.#endText();
    this.#items.push(item);
  }

  finish(): WppItem[] {
    this.#endText();
    return this.#items;
  }

  #startWord(leading: string): void {
    this.#text += this.#atLineStart ? this.#lineStart() : this.#gap + leading;
    this.#atLineStart = false;
    this.#gap = '';
    while (this.#written < this.#marks.length) this.#text += this.#marks[this.#written++];
  }

  #lineStart(): string {
    const marker = this.#marker.trimStart();
    const margin = this.#marker.length - marker.length;
    if (this.#text === '') this.#outdent = margin;
    const breaks = this.#text === '' ? '' : '\n'.repeat(this.#breaks);
    return breaks + this.#quote + ' '.repeat(Math.max(0, margin - this.#outdent)) + marker;
  }

  #endLine(): void {
    while (this.#written > 0) this.#text += this.#marks[--this.#written];
    if (!this.#atLineStart) {
      this.#breaks = 1;
      this.#marker = '';
    }
    this.#atLineStart = true;
    this.#gap = '';
  }

  #endText(): void {
    this.#endLine();
    this.#marker = '';
    if (this.#cells === 'first') this.#cells = 'later';
    if (HAS_WORDS.test(this.#text)) this.#items.push({ type: 'text', content: this.#text.trim() });
    this.#text = '';
  }
}
