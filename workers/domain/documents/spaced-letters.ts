import type { PdfItem } from './pdf-blocks.ts';

/*
 * A heading may have its letters set apart, by blanks or by their places: "E D I T A L  D E  M A T R Í C U L A". They are words
 * where a wider gap divides them, or where the page has the word elsewhere; answers, classes and days in a row are none.
 */

const APART = /^\S(?: \S)*$/u;
const MIN_LETTERS = 4;
const VOWEL = /[AEIOUY]/;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

export function hasLettersApart({ text }: PdfItem): boolean {
  return APART.test(text) && (text.match(/\p{L}/gu)?.length ?? 0) >= MIN_LETTERS;
}

/** `source` has the texts as they are written in the file, with all of their blanks. */
export function joinLetters(items: readonly PdfItem[], source: string): PdfItem[] {
  if (!items.some(hasLettersApart)) return [...items];
  const joined: PdfItem[] = [];
  for (let at = 0; at < items.length; ) {
    const run = runAt(items, at);
    joined.push(...(joinedRun(run, items, source) ?? (run.length > 0 ? run : items.slice(at, at + 1))));
    at += Math.max(run.length, 1);
  }
  return joined;
}

/** Returns the texts from here that have their letters apart and stand on one line, with the blanks between them. */
function runAt(items: readonly PdfItem[], from: number): PdfItem[] {
  const first = items[from];
  if (!first || !APART.test(first.text)) return [];
  const isOn = ({ text, y, size }: PdfItem) =>
    text.trim() === '' || (APART.test(text) && Math.abs(y - first.y) < 0.1 && size === first.size);
  const end = items.findIndex((item, at) => at > from && !isOn(item));
  const run = items.slice(from, end === -1 ? items.length : end);
  return run.slice(0, run.findLastIndex(({ text }) => text.trim() !== '') + 1);
}

function joinedRun(
  run: readonly PdfItem[],
  items: readonly PdfItem[],
  source: string,
): PdfItem[] | undefined {
  const [first] = run;
  const last = run.at(-1);
  if (!first || !last || !run.some(hasLettersApart)) return undefined;
  const written = run.flatMap(({ text }) => (text.trim() === '' ? [] : [writtenAs(text, source)]));
  const words = written.flatMap(text => text.split(/\s{2,}/)).map(word => word.replace(/\s/g, ''));
  const isSet = words.length > 1 || !/\s/.test(written.join(''));
  const text = words.join(' ');
  const isAlone = !items.some(one => one.text.trim() !== '' && one.y === first.y && !run.includes(one));
  const page = () => items.map(item => item.text.toLowerCase()).join(' ');
  if (!isSet && !(isAlone && isHeading(text)) && !page().includes(text.toLowerCase())) return undefined;
  if (!words.some(word => word.length >= MIN_LETTERS) || !words.every(isWord) || isList(words))
    return undefined;
  return [{ ...first, text, width: last.x + last.width - first.x }];
}

function writtenAs(text: string, source: string): string {
  const letters = text.split(' ').map(letter => letter.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&'));
  return new RegExp(letters.join(' *'), 'u').exec(source)?.[0] ?? text;
}

function plain(word: string): string {
  return word.normalize('NFD').replace(/\P{L}/gu, '').toUpperCase();
}

function isWord(word: string): boolean {
  const letters = plain(word);
  return letters.length < 3 || (VOWEL.test(letters) && /[^AEIOU]/.test(letters));
}

/** Whether the letters may be a word such as "COMUNICADO": several words without a wider gap are not told apart. */
function isHeading(word: string): boolean {
  const letters = plain(word);
  return /^[A-Z]{5,12}$/.test(letters) && letters.length === word.length && !/[^AEIOUY]{4}/.test(letters);
}

function isList(words: readonly string[]): boolean {
  const all = plain(words.join(''));
  return /^[A-F]*$/.test(all) || words.some(word => plain(word).length > 2 && ALPHABET.includes(plain(word)));
}
