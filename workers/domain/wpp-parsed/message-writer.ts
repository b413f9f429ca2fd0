import { isBlankCode } from '../../../text/char-kind.ts';
import { cutText } from './cut-text.ts';
import type { WppItem } from './wpp-item.ts';

/** Without a word, remains of `** [a](b) **` or of a list marker are no message. */
const HAS_WORDS = /[^\s*_~#>|+-]/;

/** Limits the punctuation that is appended to one text: a thousand links may be followed by a thousand commas. */
const MAX_JOINED = 20;

/** After one of these begins a sentence, a cell, or the text that a colon announces. */
const BOUNDARY = /(?:[.!?…:;]["'”’»)\]}*_~]*|\|)\s/u;
/** Characters that may stand right before a link without being a mark of the word. */
const BEFORE_LINK = /[\s"'“‘«([{]$/u;
/** Characters of a line that are read before each of its links: a line may have thousands. */
const MAX_READ_BACK = 200;

/** Whether the words of a line before a link are a part of its sentence. */
function isSentenceBegun(line: string): boolean {
  return BEFORE_LINK.test(line) && /[\p{L}\p{N}]/u.test(line.split(BOUNDARY).at(-1) ?? '');
}

/** A payment code must not be said twice: it has 44 digits or more, or begins like a Pix code. */
const MIN_CODE_DIGITS = 44;
const PIX_START = '000201';

/** Returns the name of a link inside a sentence; empty for a picture, or if it has none that may be said twice. */
function nameOf(item: WppItem): string {
  if (!('url' in item) || (item.type === 'image' && item.description !== '')) return '';
  const name = item.description || item.url;
  const isBoleto = name.length >= MIN_CODE_DIGITS && name.replace(/\D/g, '').length >= MIN_CODE_DIGITS;
  return isBoleto || name.includes(PIX_START) ? '' : name;
}

function blankEnd(text: string, start = 0): number {
  let end = start;
  while (end < text.length && isBlankCode(text.charCodeAt(end))) end++;
  return end;
}

/**
 * Writes the items. Output that may end up without words (list markers, emphasis marks, line breaks, spaces, the bar
 * between two cells) is buffered until a word follows, and dropped when none does. Open styles are closed at line
 * ends and at other items, and reopened with the next word, because WhatsApp styles do not extend over either.
 * Closing punctuation after an item is appended to the text before the item, and dropped where there is none. A link
 * inside a sentence leaves its name in the text, too.
 */
export class MessageWriter {
  readonly #items: WppItem[] = [];
  #text = '';
  #lastText: WppItem | undefined;
  /** Number of punctuation characters that were appended later. */
  #joined = 0;
  #atLineStart = true;
  /** The line before the last link inside a sentence, which may have several. */
  #sentence = '';
  /** Buffered spaces within a line. */
  #gap = '';
  /** Buffered at the start of a line: 1 or 2 line breaks, and the opening marks. */
  #breaks = 1;
  #quote = '';
  #marker = '';
  /** The indent of the first line of this text: a list that continues after an item starts at the left again. */
  #outdent = 0;
  #cells: 'none' | 'first' | 'later' = 'none';
  /** Nesting depth of each mark; bold in bold is not marked again. */
  readonly #depth: Record<string, number> = {};
  /** The open marks, outermost first, and how many of them are written on this line. */
  readonly #marks: string[] = [];
  #written = 0;

  startLine(quote: string, marker: string, isAfterBlank: boolean): void {
    this.#endLine();
    this.#sentence = '';
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

  /** Writes a line break within a block; on an empty line it makes a blank line. */
  lineBreak(): void {
    this.#sentence = '';
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
    this.#writeWords(this.#text === '' ? this.#withoutClosing(text) : text);
  }

  #withoutClosing(text: string): string {
    if (this.#items.length === 0) return text;
    for (let from = 0; ; ) {
      const { start, end } = closingPunctuationAt(text, blankEnd(text, from));
      if (end === start) return text.slice(from);
      this.#join(text.slice(start, end));
      if (this.#sentence !== '') this.#sentence += text.slice(from, end);
      from = end;
    }
  }

  #writeWords(text: string): void {
    const from = blankEnd(text);
    if (from === text.length) {
      this.#gap += text;
      return;
    }
    let to = text.length;
    while (isBlankCode(text.charCodeAt(to - 1))) to--;
    this.#startWord(text.slice(0, from));
    this.#text += text.slice(from, to);
    this.#gap = text.slice(to);
  }

  /** Writes a line of code verbatim, with its indent. */
  verbatim(line: string): void {
    if (!this.#atLineStart) this.startLine(this.#quote, '', false);
    const end = line.trimEnd();
    if (end === '') this.#breaks = 2;
    else {
      this.#startWord('');
      this.#text += end;
    }
  }

  item(item: WppItem): void {
    const line = this.#lineSoFar();
    // A bare address right after another link is not a part of the sentence.
    const isInSentence =
      isSentenceBegun(line) && (!this.#atLineStart || ('url' in item && item.description !== ''));
    const name = isInSentence ? nameOf(item) : '';
    if (name !== '') this.#writeWords(name);
    this.#endText(true);
    this.#sentence = isInSentence ? line + name : '';
    this.#items.push(item);
  }

  finish(): WppItem[] {
    this.#endText(this.#items.length > 0);
    return this.#items;
  }

  #lineSoFar(): string {
    const written = this.#atLineStart ? '' : this.#text.slice(-MAX_READ_BACK);
    const line = written.slice(written.lastIndexOf('\n') + 1);
    return (this.#sentence + line + this.#gap.slice(-MAX_READ_BACK)).slice(-2 * MAX_READ_BACK);
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

  #endText(isBesideItem: boolean): void {
    this.#endLine();
    this.#marker = '';
    if (this.#cells === 'first') this.#cells = 'later';
    const content = this.#text.trim();
    this.#text = '';
    if (!HAS_WORDS.test(content)) return;
    if (isBesideItem && PUNCTUATION_ONLY.test(content)) this.#join(content.replace(/[\s*_~#>|+-]+/g, ''));
    else this.#pushText(content);
  }

  #pushText(text: string): void {
    for (const content of cutText(text)) this.#items.push((this.#lastText = { type: 'text', content }));
    this.#joined = 0;
  }

  /** Appends punctuation to the last text, which may be followed by images and links. */
  #join(signs: string): void {
    const room = MAX_JOINED - this.#joined;
    this.#joined += signs.length;
    if (!this.#lastText || room <= 0 || this.#lastText.content.endsWith('```')) return;
    this.#lastText.content = appendClosing(this.#lastText.content, signs.slice(0, room));
  }
}

const CLOSING = /^[.,;:!?…)\]}»”’]$/;
const STRAIGHT_QUOTE = /^["']$/;
const PUNCTUATION_ONLY = /^[\p{P}\s*_~#>|+-]*$/u;
const PAIRS = new Set(['()', '[]', '{}', '«»', '“”', '‘’', '""', "''"]);

/** Returns the punctuation at this position that belongs to the text before it. */
function closingPunctuationAt(text: string, start: number): { start: number; end: number } {
  let end = start;
  while (CLOSING.test(text.charAt(end)) || isClosingQuote(text, end)) end++;
  return { start, end };
}

/** A straight quote next to a following word is an opening quote. */
function isClosingQuote(text: string, at: number): boolean {
  return STRAIGHT_QUOTE.test(text.charAt(at)) && !/^[\p{L}\p{N}*_~`]/u.test(text.slice(at + 1, at + 3));
}

/** Appends punctuation to a text. Drops brackets whose content became an item, and commas and stops after a stop. */
function appendClosing(text: string, closing: string): string {
  let joined = text;
  for (const sign of closing) {
    if (PAIRS.has(joined.slice(-1) + sign)) joined = joined.slice(0, -1).trimEnd();
    else if (!CLOSING.test(sign) && !STRAIGHT_QUOTE.test(sign)) joined += ` ${sign}`;
    else if (!('.,;:'.includes(sign) && /[.,;:!?…][*_~]*$/.test(joined))) joined += sign;
  }
  return joined;
}
