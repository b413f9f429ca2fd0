import type { PdfLine, PdfPiece } from './pdf-lines.ts';

/* Finds the columns of a page: lines one below the other whose texts are aligned, with the same white between them. */

export interface Span {
  readonly x: number;
  readonly end: number;
}

/** All texts at one height, in whatever order they were drawn. */
export interface Band {
  readonly y: number;
  readonly size: number;
  readonly fonts: ReadonlyMap<string, number>;
  readonly pieces: readonly PdfPiece[];
  readonly lines: readonly PdfLine[];
}

interface Column extends Span {
  /** The bands with a text in the column, which grows with them. */
  readonly bands: Set<Band>;
}

export interface Run {
  readonly columns: readonly Column[];
  /** From top to bottom. */
  readonly bands: readonly Band[];
}

/** The difference of heights within one band, as a part of the font size. */
export const SAME_BAND = 0.2;
/** Distances as parts of the font size: the greatest between rows, and between words of a cell. */
export const MAX_ROW_DISTANCE = 4;
const MAX_WORD_GAP = 1.5;
const MAX_SIGN_GAP = 8;
const SIGN = /^(?:R\$|US\$|[$€£])$/;
/** A long cell has at most this many bands of a single text. The limit bounds what is read again for each beginning. */
const MAX_LONE_BANDS = 12;

export function bandsOf(lines: readonly PdfLine[]): Band[] {
  const bands: (Band & { readonly pieces: PdfPiece[]; readonly lines: PdfLine[] })[] = [];
  for (const line of lines.toSorted((a, b) => b.y - a.y)) {
    const band = bands.at(-1);
    if (band && band.y - line.y <= SAME_BAND * Math.min(band.size, line.size)) {
      band.pieces.push(...line.pieces);
      band.lines.push(line);
    } else bands.push({ ...line, pieces: [...line.pieces], lines: [line] });
  }
  return bands.map(band => ({ ...band, pieces: withSigns(band) }));
}

/** Returns the pieces from left to right; the sign of a currency at the other edge of its cell is no column. */
function withSigns({ pieces, size }: Band): PdfPiece[] {
  const joined: PdfPiece[] = [];
  for (const piece of pieces.toSorted((a, b) => a.x - b.x)) {
    const sign = joined.at(-1);
    const isSign = sign && SIGN.test(sign.text) && /^(?!(?:19|20)\d\d$)[-–(]?\d/.test(piece.text);
    if (isSign && piece.x - sign.end <= MAX_SIGN_GAP * size)
      joined[joined.length - 1] = { ...sign, text: `${sign.text} ${piece.text}`, end: piece.end };
    else joined.push(piece);
  }
  return joined;
}

/** Returns the bands around one that share its columns. */
export function runFrom(bands: readonly Band[], seed: number, free: number): Run {
  const taken: Band[] = [];
  let columns: readonly Column[] = [];
  let lone = 0;
  const take = (band: Band, previous: Band | undefined): boolean => {
    if (previous && Math.abs(previous.y - band.y) > MAX_ROW_DISTANCE * Math.max(previous.size, band.size))
      return false;
    const placed = place(band, columns);
    lone = band.pieces.length > 1 ? 0 : lone + 1;
    if (!placed || lone > MAX_LONE_BANDS) return false;
    columns = placed;
    return true;
  };
  for (let at = seed; at < bands.length; at += 1) {
    const band = bands[at] as Band;
    if (!take(band, taken.at(-1))) break;
    taken.push(band);
  }
  lone = 0;
  for (let at = seed - 1; at >= Math.max(free, seed - MAX_LONE_BANDS); at -= 1) {
    const band = bands[at] as Band;
    if (!take(band, taken[0])) break;
    taken.unshift(band);
  }
  return { columns, bands: taken };
}

/** Returns the columns with the pieces of one more band; undefined if a piece stands in several of them. */
function place(band: Band, columns: readonly Column[]): readonly Column[] | undefined {
  const placed: Column[] = [...columns];
  let at = 0;
  let before: PdfPiece | undefined;
  for (const piece of band.pieces) {
    while (at < placed.length && (placed[at] as Column).end <= piece.x) at += 1;
    let over = 0;
    while ((placed[at + over]?.x ?? Number.POSITIVE_INFINITY) < piece.end) over += 1;
    const covered = placed.slice(at, at + over);
    const [column, ...others] = covered;
    // Columns that no line separates are one column.
    if (others.length > 0 && !areNeverTogether(covered)) return undefined;
    const isBeside = before !== undefined && covered.some(({ bands }) => bands.has(band));
    if (isBeside && before && piece.x - before.end > MAX_WORD_GAP * band.size) return undefined;
    const bands =
      others.length > 0 || !column ? new Set(covered.flatMap(one => [...one.bands])) : column.bands;
    placed.splice(at, over, {
      x: Math.min(piece.x, ...covered.map(({ x }) => x)),
      end: Math.max(piece.end, ...covered.map(({ end }) => end)),
      bands: bands.add(band),
    });
    before = piece;
  }
  return placed;
}

function areNeverTogether(columns: readonly Column[]): boolean {
  const seen = new Set<Band>();
  for (const { bands } of columns) {
    for (const band of bands) if (seen.has(band)) return false;
    for (const band of bands) seen.add(band);
  }
  return true;
}

export type Texts = readonly ReadonlyMap<Band, Text>[];

export interface Text {
  readonly text: string;
  readonly x: number;
  readonly end: number;
}

export function textsOf({ columns, bands }: Run): Texts {
  return columns.map(column => {
    const texts = new Map<Band, Text>();
    for (const band of bands) {
      const own = band.pieces.filter(({ x, end }) => x >= column.x && end <= column.end);
      const [first] = own;
      const end = own.at(-1)?.end;
      if (first && end !== undefined)
        texts.set(band, { text: own.map(({ text }) => text).join(' '), x: first.x, end });
    }
    return texts;
  });
}

export function isOver(a: Span, b: Span): boolean {
  return a.x < b.end && b.x < a.end;
}
