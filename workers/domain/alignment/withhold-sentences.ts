import { type Span, splitSentences } from '../../../text/sentences.ts';

/*
 * A text that comes in pieces is held back until it has a whole sentence, which is then given out. In place of unsupported
 * sentences, the first gives the replacement, and later ones nothing. A whole text goes the same way in one piece, so both give
 * the same.
 */

export interface SentenceGate {
  /** Returns what the piece completes, checked. */
  add(piece: string): string;
  /** Returns the rest, checked. */
  end(): string;
}

/** A longer sentence is cut after a blank, so that little is held back. */
const MAX_HELD = 2_000;
/** A sentence is whole only when a blank and further text follow. */
const NEXT_TEXT = /\s\S/;
const LEADING_BLANKS = /^\s*/;

export function makeSentenceGate(
  isSupported: (sentence: string, beginsLine: boolean) => boolean,
  replacement: string,
): SentenceGate {
  /** Blanks before the held text, which begins with another character. They go with the first sentence. */
  let blanks = '';
  let held = '';
  let isReplaced = false;
  let isBegun = false;

  function hold(piece: string): void {
    const text = held === '' ? piece.replace(LEADING_BLANKS, '') : piece;
    blanks += held === '' ? piece.slice(0, piece.length - text.length) : '';
    held += text;
  }

  function take(end: number): string {
    const sentence = held.slice(0, end);
    const rest = held.slice(end);
    const before = blanks;
    const beginsLine = !isBegun || before.includes('\n');
    isBegun = true;
    [blanks, held] = ['', ''];
    hold(rest);
    if (isSupported(sentence, beginsLine)) return before + sentence;
    if (isReplaced) return '';
    isReplaced = true;
    return before + replacement;
  }

  function takeWhole(): string {
    let given = '';
    for (let end = findSentenceEnd(held); end !== undefined; end = findSentenceEnd(held)) given += take(end);
    return given;
  }
  return {
    add(piece) {
      const mayEnd = NEXT_TEXT.test(held.slice(-1) + piece);
      hold(piece);
      return mayEnd || held.length > MAX_HELD ? takeWhole() : '';
    },
    end() {
      const given = takeWhole();
      const last = held === '' ? '' : take(held.trimEnd().length);
      const rest = blanks;
      blanks = '';
      return given + last + rest;
    },
  };
}

/** Returns the sentences of a whole text as the gate takes them, without the blanks between them. */
export function* sentencesOfGate(text: string): Generator<Span, void> {
  const start = /\S/g;
  for (let found = start.exec(text); found; found = start.exec(text)) {
    const held = text.slice(found.index, found.index + MAX_HELD + 1);
    const to = found.index + (findSentenceEnd(held) ?? held.trimEnd().length);
    yield { from: found.index, to };
    start.lastIndex = to;
  }
}

/** Returns the end of the first sentence that cannot go on; undefined while there is none. */
function findSentenceEnd(text: string): number | undefined {
  const window = text.slice(0, MAX_HELD);
  const [first, second] = splitSentences(window, 3);
  if (first && second) return first.to;
  if (text.length <= MAX_HELD) return undefined;
  const cut = window.trimEnd().lastIndexOf(' ');
  return cut > 0 ? cut : window.length;
}
