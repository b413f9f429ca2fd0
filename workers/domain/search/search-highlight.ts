import { foldText } from '../../../text/fold.ts';

/*
 * An excerpt of the original text around a match. It is cut from the original, not from the indexed text, and is HTML
 * in which everything but our own marks is escaped.
 */

/** Includes invisible characters, as the index does. */
const wordPattern = /[\p{L}\p{N}\p{M}\u00ad\u200b-\u200d\u2060\ufeff]+/gu;
const PIECE = 240;
const BEFORE = 60;
const STEM_LENGTH = 3;
/** Limit of the words that are compared with the query. */
export const MAX_WORDS = 400;

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** The index finds words by letters alone, so the marks of all scripts and invisible characters are left out. */
const NOT_INDEXED = /[\p{M}\u00ad\u200b-\u200d\u2060\ufeff]+/gu;

/** Removes accents, case and invisible characters. */
export function normalizeWord(word: string): string {
  return foldText(word, NOT_INDEXED);
}

export function wordsIn(text: string): string[] {
  return text.match(wordPattern) ?? [];
}

/** Returns words that begin like one of the query's words: only they can match. */
export function likelyWordsIn(originals: readonly string[], queryWords: readonly string[]): string[] {
  const starts = new Set(queryWords.map(startOf));
  const likely = new Set<string>();
  const seen = new Set<string>();
  for (const original of originals) {
    for (const word of wordsIn(original)) {
      if (seen.has(word)) continue;
      seen.add(word);
      if (starts.has(startOf(word))) likely.add(normalizeWord(word));
      if (likely.size >= MAX_WORDS) return [...likely];
    }
  }
  return [...likely];
}

export function highlightOf(original: string, isFound: (normalized: string) => boolean): string {
  const spans: TextRange[] = [];
  const unfound = new Set<string>();
  for (const match of original.matchAll(wordPattern)) {
    if (spans.length > 0 && match.index > (spans[0]?.start ?? 0) + PIECE) break;
    const [word] = match;
    if (unfound.has(word)) continue;
    if (isFound(normalizeWord(word))) spans.push({ start: match.index, end: match.index + word.length });
    else unfound.add(word);
  }
  const { start, end } = pieceAround(original, spans[0]);
  let marked = '';
  let at = start;
  for (const span of spans.filter(span => span.start >= start && span.end <= end)) {
    marked += `${escapeText(original.slice(at, span.start))}<mark>${escapeText(original.slice(span.start, span.end))}</mark>`;
    at = span.end;
  }
  const piece = marked + escapeText(original.slice(at, end));
  return `${start > 0 ? '…' : ''}${piece}${end < original.length ? '…' : ''}`;
}

/** Cuts at spaces, and never within a surrogate pair. */
function pieceAround(original: string, first: TextRange | undefined): TextRange {
  if (original.length <= PIECE) return { start: 0, end: original.length };
  const wished = Math.max((first?.start ?? 0) - BEFORE, 0);
  const space = original.indexOf(' ', wished);
  const start = wished === 0 || space < 0 || space >= (first?.start ?? 0) ? wished : space + 1;
  const safeStart = isLow(original, start) ? start + 1 : start;
  const last = Math.min(safeStart + PIECE, original.length);
  return { start: safeStart, end: isLow(original, last) ? last - 1 : last };
}

function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

function startOf(word: string): string {
  return normalizeWord(word).slice(0, STEM_LENGTH);
}

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}
