import { WHATSAPP_MARK } from './wpp-item.ts';

/** The limit of WhatsApp's Cloud API for the text of one message, in UTF-16 units. */
const MAX_TEXT_LENGTH = 4_096;
/** Room for marks that are closed at a cut, and for punctuation that is joined later. */
const RESERVE = 40;
const MOST = MAX_TEXT_LENGTH - RESERVE;

const FENCE = '```';
const MARKS: readonly string[] = Object.values(WHATSAPP_MARK);

/**
 * Cuts the text into parts that one message may hold, between paragraphs, else lines, sentences, words, else anywhere. A block
 * of code and emphasis are closed at a cut and opened again after it.
 */
export function cutText(text: string): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > MOST) {
    const at = findCut(rest);
    const beginning = rest.slice(0, at).trimEnd();
    if (isInCode(beginning)) {
      parts.push(`${beginning}\n${FENCE}`);
      rest = `${FENCE}\n${rest.slice(at).replace(/^\n+/, '')}`;
    } else {
      // Emphasis ends with its line: a mark that looks open there is a plain sign.
      const isLineEnd = rest.slice(beginning.length, at).includes('\n');
      const open = isLineEnd ? [] : openMarksOf(beginning.slice(beginning.lastIndexOf('\n') + 1));
      parts.push(beginning + open.toReversed().join(''));
      rest = open.join('') + rest.slice(at).trimStart();
    }
  }
  return [...parts, rest];
}

/** Looks in the second half of the room: an early cut makes more messages than the text needs. */
function findCut(text: string): number {
  const fitting = text.slice(0, MOST);
  const last = (pattern: RegExp) => {
    let end = 0;
    for (const found of fitting.matchAll(pattern)) end = found.index + found[0].length;
    return end > MOST / 2 ? end : 0;
  };
  const cut = last(/\n\n/g) || last(/\n/g) || last(/[.!?…]["'”’)\]*_~]*\s/g) || last(/\s/g);
  if (cut > 0) return cut;
  return startOfCharacter(text, MOST);
}

const characters = new Intl.Segmenter('pt', { granularity: 'grapheme' });
/** No character that people see as one is longer: a family of four has eleven units. */
const LONG_CHARACTER = 64;

/** Returns the beginning of the character around this place: cut within, a family or a flag would become two others. */
function startOfCharacter(text: string, at: number): number {
  const isHalf = /[\udc00-\udfff]/.test(text.charAt(at - LONG_CHARACTER));
  const from = at - LONG_CHARACTER - (isHalf ? 1 : 0);
  const around = characters.segment(text.slice(from, at + LONG_CHARACTER));
  const start = from + (around.containing(at - from)?.index ?? 0);
  if (start > from) return start;
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
}

function isInCode(beginning: string): boolean {
  const fences = beginning.split('\n').filter(line => line.startsWith(FENCE));
  return fences.length % 2 === 1;
}

/**
 * Returns the marks that the beginning of a line leaves open. None if a mark stands in itself: then they are plain signs, and
 * 2,000 of them filled each message.
 */
function openMarksOf(line: string): string[] {
  const open: string[] = [];
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at);
    if (!MARKS.includes(sign)) continue;
    const isBehindWord = /[^\s*_~]/.test(line.charAt(at - 1));
    if (open.at(-1) === sign) open.pop();
    else if (!isBehindWord && /\S/.test(line.charAt(at + 1))) open.push(sign);
  }
  return new Set(open).size === open.length ? open : [];
}
