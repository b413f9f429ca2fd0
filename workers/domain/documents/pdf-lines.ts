/** Words without a wide gap between them. */
export interface PdfPiece {
  readonly text: string;
  readonly x: number;
  readonly end: number;
}

/** Texts at one height. */
export interface PdfLine {
  readonly pieces: readonly PdfPiece[];
  readonly y: number;
  /** The size of most of its characters. */
  readonly size: number;
  /** Its fonts, with the number of characters of each. */
  readonly fonts: ReadonlyMap<string, number>;
}

/** In place of a font: the text was filled into a field, and ends where it does. */
export const FILLED_IN = 'filled in';

/** The least gap before a column, as a part of the font size. */
export const PIECE_GAP = 0.5;

export function textOf({ pieces }: PdfLine): string {
  return pieces.map(({ text }) => text).join(' ');
}

export function startOf({ pieces }: PdfLine): number {
  return pieces[0]?.x ?? 0;
}

export function endOf({ pieces }: PdfLine): number {
  return pieces.at(-1)?.end ?? 0;
}

export function add<T>(counts: Map<T, number>, key: T, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

export function mostOf<T>(counts: ReadonlyMap<T, number>): T | undefined {
  let most: [T, number] | undefined;
  for (const entry of counts) if (!most || entry[1] > most[1]) most = entry;
  return most?.[0];
}

/** Whether both texts belong to one sentence, as their ends say. */
export function isOneSentence(text: string, next: string): boolean {
  return isDivided(text, next) || (!/[.!?:;]["”')\]]?$/.test(text) && /^\p{Ll}/u.test(next));
}

/** Whether a word is divided between the texts. */
export function isDivided(text: string, next: string): boolean {
  return /\p{Ll}-$/u.test(text) && /^\p{Ll}/u.test(next);
}

/** Whether the first word of the next text would have had room after this one, so that the line was ended on purpose. */
export function isFit(text: PdfPiece, next: PdfPiece, edge: number, size: number): boolean {
  const [word = ''] = next.text.split(' ', 1);
  // Widths of letters vary, so the word's width is estimated from its share of the characters.
  const width = ((next.end - next.x) * word.length) / next.text.length;
  return edge - text.end > 1.25 * width + PIECE_GAP * size;
}

export function isSameSize(size: number, other: number): boolean {
  return Math.abs(size - other) < 0.1 * other;
}

/** These keep their hyphen: days of the week, and prefixes that always have one. */
const WEEKDAY = /(?:segunda|terça|quarta|quinta|sexta)s?-$/iu;
const PREFIX = /(?<!\p{L})(?:pós|pré|pró|recém|além|aquém|sem|ex|vice)-$/iu;

/** Joins the texts, and a word that is divided between them. */
export function joinTexts(text: string, next: string): string {
  if (!isDivided(text, next)) return `${text} ${next}`;
  return (keepsHyphen(text, next) ? text : text.slice(0, -1)) + next;
}

function keepsHyphen(text: string, next: string): boolean {
  return PREFIX.test(text) || (WEEKDAY.test(text) && next.startsWith('feira'));
}
