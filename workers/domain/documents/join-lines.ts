import { isDivided, joinTexts } from './pdf-lines.ts';

/*
 * Converters of PDF write each line as a paragraph of its own, with an empty line behind it. There a sentence over several lines is
 * made one again. It is known by lines that end within a sentence before one that goes on in small letters.
 */

interface Line {
  readonly text: string;
  /** Whether it is alone between empty lines. */
  readonly isAlone: boolean;
  readonly isCode: boolean;
}

/** Of all lines, at least this part breaks off within a sentence: elsewhere one may be a slip. */
const BROKEN_SHARE = 1 / 10;
const ALONE_SHARE = 0.8;
/** A line that ends before these parts of the width has ended for another reason. */
const [FULL_SMALL, FULL] = [0.6, 0.8];
const MIN_WIDTH = 40;
const SMALL = /^[\p{Ll}\d]/u;
const FENCE = /^\s{0,3}(?:```|~~~)/;
const ENDED = /[.!?:;…|>][\s"”»)*_\]]*$/;
const ABBREVIATION = /(?<!\p{L})(?:arts?|incs?|n|nº|fls?|p|profª?|dr|dra|sr|sra|av|tel)\.$/iu;
/** Begins something of its own: a heading, an item, a table, an article of a law. */
const BEGUN =
  /^(?:#|[-*+•–—|>=<!~`]|\s{4}|\[\^|\(?[a-zA-Z]{1,2}\)|\(?\d+(?:\.\d+)*(?:[.)]+\s|\s+(?=\p{Lu}))|[IVXLC]+\s*[-–—.)]|§|A(?:rt|RT)\.?\s|P(?:arágrafo|ARÁGRAFO)\s|(?:Seção|SEÇÃO|Capítulo|CAPÍTULO|Título|TÍTULO|Anexo|ANEXO)\s)/u;

export function joinLines(source: string): string {
  const lines = linesOf(source);
  const alone = lines.filter(({ isAlone }) => isAlone);
  const prose = lines.filter(({ text, isAlone, isCode }) => isAlone || (!isCode && /^\p{L}/u.test(text)));
  const broken = alone.filter((line, at) => {
    const next = alone[at + 1];
    return next && line.text.length >= MIN_WIDTH && SMALL.test(next.text) && goesOn(line, next, MIN_WIDTH);
  });
  const isUsual = alone.length >= ALONE_SHARE * prose.length && broken.length >= BROKEN_SHARE * alone.length;
  if (broken.length === 0 || !isUsual) return source;
  const width = broken.reduce((most, { text }) => Math.max(most, text.length), 0);
  const told: string[] = [];
  let before: Line | undefined;
  for (const line of lines) {
    if (line.text === '' && before) continue;
    if (before && line.isAlone && goesOn(before, line, width)) {
      const joined = joinTexts(told.pop() ?? '', line.text);
      // Only the last line is looked at again: a sentence of 200,000 lines would be read as often.
      told.push(joined.slice(0, -line.text.length), line.text);
    } else told.push(before ? '\n\n' : told.length > 0 ? '\n' : '', line.text);
    before = line.isAlone ? line : undefined;
  }
  return told.join('');
}

function linesOf(source: string): Line[] {
  const raw = source.split('\n');
  const isEmpty = (at: number) => (raw[at] ?? '').trim() === '';
  let isCode = false;
  return raw.map((each, at) => {
    const isFence = FENCE.test(each);
    if (isFence) isCode = !isCode;
    const isAlone = !isCode && !isFence && !isEmpty(at) && isEmpty(at - 1) && isEmpty(at + 1);
    return { text: isAlone || isEmpty(at) ? each.trimEnd() : each, isAlone, isCode };
  });
}

function isOpen({ text }: Line): boolean {
  return (!ENDED.test(text) || ABBREVIATION.test(text)) && !text.startsWith('#');
}

function goesOn(line: Line, next: Line, width: number): boolean {
  if (!isOpen(line) || BEGUN.test(next.text)) return false;
  if (SMALL.test(next.text)) return isDivided(line.text, next.text) || line.text.length >= FULL_SMALL * width;
  const isTitle = [line, next].some(({ text }) => !/\p{Ll}/u.test(text));
  return !isTitle && line.text.length >= FULL * width;
}
