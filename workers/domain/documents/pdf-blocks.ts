import { splitText } from '../../../text/pieces.ts';
import type { Block } from './block.ts';
import { isOver, type Span } from './pdf-grid.ts';
import {
  add,
  endOf,
  FILLED_IN,
  isDivided,
  isFit,
  isOneSentence,
  isSameSize,
  joinTexts,
  mostOf,
  type PdfLine,
  PIECE_GAP,
  startOf,
  textOf,
} from './pdf-lines.ts';
import { type PdfTable, tablesOf } from './pdf-tables.ts';
import { RAISED_AFTER, raisedText } from './raised.ts';

/*
 * A PDF has no structure, only lines with heights. Lines at the usual distance of their page belong together, and a paragraph
 * ends where a line ends before its room does. Lines in a larger font are headings, the larger the higher. Text that most pages
 * repeat at their top or bottom (except for numbers and addresses) is dropped.
 */

const HEADING_SIZE = 1.15;
const MAX_HEADING = 200;
/** A page without paragraphs would be one passage, which matches every question. */
const MAX_PARAGRAPH = 2_400;
/** The least size of a heading in another font, as a part of the text's; and the most of the text in such a font. */
const SMALLEST_HEADING = 0.85;
const BODY_SHARE = 0.15;
/** Distances up to this many times the usual one count as usual. */
const USUAL_DISTANCE = 1.25;
/** The distance on a page with too few lines to tell, and the greatest one within a paragraph, as parts of the font size. */
const DEFAULT_DISTANCE = 1.4;
const MAX_DISTANCE = 2.6;
const MIN_PAGES_TO_COMPARE = 4;
const EDGE_LINES = 2;
const MAX_LEVEL = 6;
/** Text that begins an item of a list, or a part of a law. */
const ITEM =
  /^(?:[•·▪●○–—*-]\s|\(?(?:\p{L}|\d+|[ivxlc]+)\)|\d+(?:\.\d+)*\s?[-–.]|\d+(?:\.\d+)+\s|[IVXLC]+\s?[-–.]\s?|Art\.?\s|§|Parágrafo\s)/u;

type Part = PdfLine | PdfTable;

/** Returns the blocks of all pages; a paragraph across pages belongs to the page where it begins. */
export function pdfBlocksOf(pages: readonly (readonly PdfLine[])[]): Block[] {
  const parts = withoutRunningTexts(pages).map(partsOf);
  const lines = parts.map(page => page.filter(isLine));
  const cells = parts.flat().flatMap(part => (isLine(part) ? [] : [...part.lines]));
  const body = bodyOf(lines.some(page => page.length > 0) ? lines.flat() : pages.flat(), cells);
  const usual = usualDistancesOf(lines);
  const blocks: Block[] = [];
  let open: PdfTable | undefined;
  for (const [at, page] of parts.entries()) {
    const distances = usualDistancesOf([lines[at] ?? []], usual);
    const own = pageBlocksOf(page, { place: `p. ${at + 1}`, body, distances });
    const last = blocks.at(-1);
    const [first] = own;
    const [top] = page;
    if (last?.kind === 'text' && first?.kind === 'text' && isOneSentence(last.text, first.text)) {
      blocks[blocks.length - 1] = { ...last, text: joinTexts(last.text, first.text) };
      own.shift();
    } else if (last?.kind === 'table' && first?.kind === 'table' && open && top && !isLine(top)) {
      if (haveSameColumns(open, top)) own[0] = goOnWith(last, first);
    }
    for (const block of own) blocks.push(block);
    const bottom = page.at(-1);
    open = bottom && !isLine(bottom) ? bottom : undefined;
  }
  return blocks;
}

type TableBlock = Extract<Block, { kind: 'table' }>;

/** A table keeps the header of the page where it begins. If that first row has values, the table has no header. */
function goOnWith({ header }: TableBlock, next: TableBlock): TableBlock {
  const isName = (cell: string) => !/^[\d\W]+$/u.test(cell);
  if (!header.every(isName) || next.header.join() === header.join()) return next;
  return { ...next, header, rows: [next.header, ...next.rows] };
}

function isLine(part: Part): part is PdfLine {
  return 'pieces' in part;
}

function haveSameColumns(table: PdfTable, next: PdfTable): boolean {
  return (
    table.columns.length === next.columns.length &&
    table.columns.every((column, at) => isOver(column, next.columns[at] as Span))
  );
}

/** A table takes the place of its first line. */
function partsOf(page: readonly PdfLine[]): Part[] {
  const owners = new Map<PdfLine, PdfTable>();
  for (const table of tablesOf(page)) for (const line of table.lines) owners.set(line, table);
  const told = new Set<PdfTable>();
  return page.flatMap((line): readonly Part[] => {
    const table = owners.get(line);
    if (!table) return [line];
    if (told.has(table)) return [];
    told.add(table);
    return table.prose ?? [table];
  });
}

interface PageRule {
  readonly place: string;
  readonly body: Body;
  readonly distances: ReadonlyMap<number, number>;
}

function pageBlocksOf(parts: readonly Part[], { place, body, distances }: PageRule): Block[] {
  const blocks: Block[] = [];
  let held: PdfLine[] = [];
  const close = () => {
    // Paragraphs at one distance belong together, because each alone would say too little.
    for (const text of splitText(paragraphsOf(held).join('\n'), MAX_PARAGRAPH))
      blocks.push({ kind: 'text', text, place });
    held = [];
  };
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] as Part;
    const before = held.at(-1);
    if (!isLine(part)) {
      close();
      const [header = [], ...rows] = part.rows;
      blocks.push({ kind: 'table', header, rows, place });
      continue;
    }
    const follows = before !== undefined && isNextLine(before, part, distances);
    if (!follows) close();
    const isInside = follows && before && !/[.!?:;]["”')\]]?$/.test(textOf(before));
    const heading = isInside ? undefined : headingAt(parts, at, body, distances);
    if (!heading) {
      held.push(part);
      continue;
    }
    close();
    at += heading.lines - 1;
    const last = blocks.at(-1);
    const { level, text } = heading;
    const isMore = last?.kind === 'heading' && last.level === level && heading.isByFont && !/^\d/.test(text);
    if (isMore && last.text.length + text.length < MAX_HEADING)
      blocks[blocks.length - 1] = { ...last, text: `${last.text} ${text}` };
    else blocks.push({ kind: 'heading', level, text, place });
  }
  close();
  return blocks;
}

interface Heading {
  readonly level: number;
  readonly text: string;
  readonly lines: number;
  readonly isByFont: boolean;
}

/**
 * Finds lines of a larger font, or of one unlike the texts. A heading begins a sentence, and ends none in the latter case.
 */
function headingAt(
  parts: readonly Part[],
  from: number,
  body: Body,
  distances: ReadonlyMap<number, number>,
): Heading | undefined {
  const first = parts[from] as PdfLine;
  const isLarge = first.size >= body.size * HEADING_SIZE;
  const isOther = ({ fonts }: PdfLine) =>
    !fonts.has(FILLED_IN) && ![...fonts.keys()].some(font => body.fonts.has(font));
  if (!isLarge && !(isOther(first) && first.size >= body.size * SMALLEST_HEADING)) return undefined;
  const lines = [first];
  for (let at = from + 1; at < parts.length; at += 1) {
    const line = parts[at] as Part;
    const before = lines.at(-1) as PdfLine;
    if (!isLine(line) || !isNextLine(before, line, distances)) break;
    if (!isLarge && (!isOther(line) || ITEM.test(textOf(line)))) break;
    lines.push(line);
  }
  const text = lines.map(textOf).join(' ');
  if (text.length > MAX_HEADING || !/^[^\p{L}\p{N}]*(?:\p{N}|(?!\p{Ll})\p{L})/u.test(text)) return undefined;
  if (!isLarge && /[.,;:]$/.test(text)) return undefined;
  const level = isLarge ? body.sizes.indexOf(roundSize(first.size)) + 1 : body.sizes.length + depthOf(text);
  return { level: Math.min(level, MAX_LEVEL), text, lines: lines.length, isByFont: !isLarge };
}

/** Puts "3.1" below "3", and capitals above other letters. */
function depthOf(text: string): number {
  const number = /^\d+(?:\.\d+)*/.exec(text)?.[0];
  if (number) return number.split('.').length;
  return text === text.toUpperCase() ? 1 : 2;
}

/** Joins lines at the usual distance into paragraphs. */
function paragraphsOf(lines: readonly PdfLine[]): string[] {
  const edge = lines.reduce((max, line) => Math.max(max, endOf(line)), 0);
  const paragraphs: string[] = [];
  let before: PdfLine | undefined;
  for (const line of lines) {
    const text = textOf(line);
    const last = paragraphs.length - 1;
    if (before && !endsParagraph(before, line, edge))
      paragraphs[last] = joinTexts(paragraphs[last] ?? '', text);
    else paragraphs.push(text);
    before = line;
  }
  return paragraphs;
}

function endsParagraph(line: PdfLine, next: PdfLine, edge: number): boolean {
  const [text, nextText] = [textOf(line), textOf(next)];
  if (isDivided(text, nextText)) return false;
  if (line.fonts.has(FILLED_IN)) return !isOneSentence(text, nextText);
  const isEnd = /[.;:!?]["”')\]]?$/.test(text);
  if (isEnd && (ITEM.test(nextText) || startOf(next) - startOf(line) > line.size)) return true;
  const whole = (one: PdfLine) => ({ text: textOf(one), x: startOf(one), end: endOf(one) });
  return (isEnd || !/^\p{Ll}/u.test(nextText)) && isFit(whole(line), whole(next), edge, line.size);
}

function isNextLine(line: PdfLine, next: PdfLine, distances: ReadonlyMap<number, number>): boolean {
  const distance = line.y - next.y;
  const usual = distances.get(roundSize(next.size)) ?? DEFAULT_DISTANCE * next.size;
  return isSameSize(line.size, next.size) && distance > 0 && distance <= USUAL_DISTANCE * usual;
}

/** Returns for each size the least of the distances that occur often. */
function usualDistancesOf(
  pages: readonly (readonly PdfLine[])[],
  others: ReadonlyMap<number, number> = new Map(),
): Map<number, number> {
  const counts = new Map<number, Map<number, number>>();
  for (const page of pages) {
    for (const [at, next] of page.slice(1).entries()) {
      const line = page[at] as PdfLine;
      const distance = Math.round((line.y - next.y) * 2) / 2;
      if (!isSameSize(line.size, next.size) || distance <= 0 || distance > MAX_DISTANCE * next.size) continue;
      const own = counts.get(roundSize(next.size)) ?? new Map<number, number>();
      add(own, distance, 1);
      counts.set(roundSize(next.size), own);
    }
  }
  const usual = new Map(others);
  for (const [size, own] of counts) {
    const most = Math.max(...own.values());
    const often = [...own].filter(([, count]) => count * 4 >= most).map(([distance]) => distance);
    if (most > 2 || !usual.has(size)) usual.set(size, Math.min(...often));
  }
  return usual;
}

function roundSize(size: number): number {
  return Math.round(size * 2) / 2;
}

/** The looks of most of the text. */
interface Body {
  readonly size: number;
  readonly fonts: ReadonlySet<string>;
  /** The sizes of headings, the largest first. */
  readonly sizes: readonly number[];
}

function bodyOf(lines: readonly PdfLine[], cells: readonly PdfLine[]): Body {
  const size = usualSizeOf(lines);
  const fonts = fontsOf(lines);
  const all = [...fonts.values()].reduce((sum, count) => sum + count, 0);
  const usual = [...fonts].flatMap(([font, count]) => (count >= all * BODY_SHARE ? [font] : []));
  const sizes = [...new Set(lines.map(line => roundSize(line.size)))].filter(
    one => one >= size * HEADING_SIZE,
  );
  return {
    size,
    // Two rows are no table: they are lines in the font of the others.
    fonts: new Set([...usual, mostOf(fontsOf(cells)) ?? '']),
    sizes: sizes.toSorted((a, b) => b - a),
  };
}

function fontsOf(lines: readonly PdfLine[]): Map<string, number> {
  const fonts = new Map<string, number>();
  for (const line of lines) for (const [font, count] of line.fonts) add(fonts, font, count);
  return fonts;
}

/** Returns the size of most characters. */
function usualSizeOf(lines: readonly PdfLine[]): number {
  const counts = new Map<number, number>();
  for (const line of lines) add(counts, roundSize(line.size), textOf(line).length);
  return mostOf(counts) ?? 0;
}

function withoutRunningTexts(pages: readonly (readonly PdfLine[])[]): PdfLine[][] {
  const bodySize = usualSizeOf(pages.flat());
  const edges = pages.map(edgesOf);
  const counts = new Map<string, number>();
  for (const lines of edges) for (const key of new Set([...lines].map(keyOf))) add(counts, key, 1);
  const isRepeated = (key: string) =>
    pages.length >= MIN_PAGES_TO_COMPARE && (counts.get(key) ?? 0) > pages.length / 2;
  // "Capítulo 3" at the top of a page is a heading, although other pages have one like it.
  const isRunning = (line: PdfLine) => line.size < bodySize * HEADING_SIZE && isRepeated(keyOf(line));
  return pages.map((page, at) => page.filter(line => !(edges[at]?.has(line) && isRunning(line))));
}

/** Returns the highest and the lowest lines, whenever they were drawn. */
function edgesOf(page: readonly PdfLine[]): Set<PdfLine> {
  const sorted = page.toSorted((a, b) => b.y - a.y);
  return new Set([...sorted.slice(0, EDGE_LINES), ...sorted.slice(-EDGE_LINES)]);
}

/** The key includes the height: the first line of a chapter is no running title. */
function keyOf(line: PdfLine): string {
  return `${Math.round(line.y)} ${textOf(line)
    .replace(/\bhttps?:\S+/g, '@')
    .replace(/\d+/g, '#')}`;
}

/** A piece of text on a page of a PDF, in the order of its content. */
export interface PdfItem {
  readonly text: string;
  /** Points from the lower left corner. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
  readonly font?: string;
}

/** The gap between words, and the heights of one line, as parts of the font size. */
const WORD_GAP = 0.15;
const SAME_HEIGHT = 0.5;
/** The most size, and the least height above the line, of raised text, as parts of the line's size. */
const RAISED_SIZE = 0.85;
const RAISED_HEIGHT = 0.1;

interface OpenLine {
  readonly pieces: { text: string; readonly x: number; end: number }[];
  y: number;
  readonly sizes: Map<number, number>;
  readonly fonts: Map<string, number>;
  largest: number;
}

/** Joins the items of a page to lines. Lines stay in the order of the content, which follows columns of text. */
export function pdfLinesOf(items: readonly PdfItem[]): PdfLine[] {
  const lines: OpenLine[] = [];
  for (const { text, x, y, width, size, font = '' } of items) {
    if (text.trim() === '') continue;
    const end = x + width;
    let line = lines.at(-1);
    let piece = line?.pieces.at(-1);
    const isSame = line && Math.abs(line.y - y) <= SAME_HEIGHT * Math.max(line.largest, size);
    const gap = piece ? x - piece.end : 0;
    if (!line || !piece || !isSame || gap < -SAME_HEIGHT * size) {
      line = { pieces: [], y, sizes: new Map(), fonts: new Map(), largest: size };
      lines.push(line);
      piece = undefined;
    }
    if (!piece || gap > PIECE_GAP * size) line.pieces.push({ text, x, end });
    else {
      if (isRaised({ size: line.largest, y: line.y }, { y, largest: size })) {
        piece.text = raisedText('', piece.text, text);
        line.y = y;
      }
      const said = isRaised({ size, y }, line) ? raisedText(piece.text.slice(-RAISED_AFTER), text) : text;
      piece.text += (gap > WORD_GAP * size ? ' ' : '') + said;
      piece.end = end;
    }
    line.largest = Math.max(line.largest, size);
    add(line.sizes, size, text.trim().length);
    add(line.fonts, font, text.trim().length);
  }
  return lines.map(({ pieces, y, sizes, fonts }) => ({
    pieces: pieces.map(piece => ({ ...piece, text: clean(piece.text) })),
    y,
    size: mostOf(sizes) ?? 0,
    fonts,
  }));
}

function isRaised({ size, y }: Pick<PdfItem, 'size' | 'y'>, line: Pick<OpenLine, 'y' | 'largest'>): boolean {
  return size < RAISED_SIZE * line.largest && y - line.y > RAISED_HEIGHT * line.largest;
}

/** Composes letters and their accents, which a PDF may give one by one. */
function clean(text: string): string {
  return text.normalize('NFC').split(/\s+/).join(' ').trim();
}
