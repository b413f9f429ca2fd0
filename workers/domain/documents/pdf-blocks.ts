import type { Block } from './block.ts';

/*
 * What a PDF has instead of a structure: lines with heights. Lines of a larger font are headings, the larger the higher, unless they begin
 * with a small letter; lines at usual distances are a paragraph; lines with the same number of columns, one under the other, are a
 * table. What most pages repeat at their top or bottom (but for numbers) belongs to no text.
 */

const HEADING_SIZE = 1.15;
const MAX_HEADING = 200;
const PARAGRAPH_GAP = 1.7;
const MIN_TABLE_LINES = 3;
const MIN_PAGES_TO_COMPARE = 4;
const EDGE_LINES = 2;
const MAX_LEVEL = 6;

/** The blocks of all pages; a paragraph that goes on on the next page belongs to the page where it begins. */
export function pdfBlocksOf(pages: readonly (readonly PdfLine[])[]): Block[] {
  const bodySize = usualSizeOf(pages.flat());
  const running = runningTextsOf(pages);
  // "Capítulo 3" at the top of a page is a heading, although others are like it.
  const isRunning = (line: PdfLine, at: number, page: readonly PdfLine[]) =>
    line.size < bodySize * HEADING_SIZE && isAtEdge(at, page) && running.has(keyOf(line));
  const sizes = headingSizesOf(pages.flat(), bodySize);
  const blocks: Block[] = [];
  for (const [at, page] of pages.entries()) {
    const lines = page.filter((line, lineAt) => !isRunning(line, lineAt, page));
    const own = pageBlocksOf(lines, `p. ${at + 1}`, bodySize, sizes);
    const last = blocks.at(-1);
    const [first] = own;
    if (last?.kind === 'text' && first?.kind === 'text' && goesOn(last.text, first.text)) {
      blocks[blocks.length - 1] = { ...last, text: joinLines(last.text, first.text) };
      own.shift();
    }
    for (const block of own) blocks.push(block);
  }
  return blocks;
}

function pageBlocksOf(
  lines: readonly PdfLine[],
  place: string,
  bodySize: number,
  sizes: readonly number[],
): Block[] {
  const blocks: Block[] = [];
  let previous: PdfLine | undefined;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as PdfLine;
    const tableEnd = endOfTable(lines, at);
    const text = line.cells.join(' ');
    const level = sizes.indexOf(roundSize(line.size)) + 1;
    const isHeading = level > 0 && text.length <= MAX_HEADING && line.size >= bodySize * HEADING_SIZE;
    const last = blocks.at(-1);
    if (tableEnd - at >= MIN_TABLE_LINES) {
      const [header = [], ...rows] = lines.slice(at, tableEnd).map(({ cells }) => cells);
      blocks.push({ kind: 'table', header, rows, place });
      at = tableEnd;
      previous = undefined;
      continue;
    }
    const follows = previous !== undefined && isNextLine(previous, line);
    if (isHeading && follows && last?.kind === 'heading' && last.level === level)
      blocks[blocks.length - 1] = { ...last, text: `${last.text} ${text}` };
    else if (isHeading && !/^\p{Ll}/u.test(text))
      blocks.push({ kind: 'heading', level: Math.min(level, MAX_LEVEL), text, place });
    else if (follows && last?.kind === 'text')
      blocks[blocks.length - 1] = { ...last, text: joinLines(last.text, text) };
    else blocks.push({ kind: 'text', text, place });
    previous = line;
    at += 1;
  }
  return blocks;
}

function endOfTable(lines: readonly PdfLine[], from: number): number {
  const columns = lines[from]?.cells.length ?? 0;
  if (columns < 2) return from;
  let end = from;
  while (lines[end]?.cells.length === columns) end += 1;
  return end;
}

function isNextLine(previous: PdfLine, line: PdfLine): boolean {
  const distance = previous.y - line.y;
  const isSameSize = Math.abs(previous.size - line.size) < 0.1 * line.size;
  return isSameSize && distance > 0 && distance <= PARAGRAPH_GAP * line.size;
}

/** The days of the week, which documents of all kinds name, keep their hyphen. */
const BEFORE_FEIRA = /(?:segunda|terça|quarta|quinta|sexta)s?-$/iu;

/** A word that is divided at the end of a line is joined again. */
function joinLines(text: string, next: string): string {
  if (!/\p{Ll}-$/u.test(text) || !/^\p{Ll}/u.test(next)) return `${text} ${next}`;
  const isWeekday = BEFORE_FEIRA.test(text) && next.startsWith('feira');
  return (isWeekday ? text : text.slice(0, -1)) + next;
}

function goesOn(text: string, next: string): boolean {
  return !/[.!?:;]["”')\]]?$/.test(text) && /^\p{Ll}/u.test(next);
}

function roundSize(size: number): number {
  return Math.round(size * 2) / 2;
}

/** The size of most characters. */
function usualSizeOf(lines: readonly PdfLine[]): number {
  const counts = new Map<number, number>();
  for (const { cells, size } of lines) {
    const key = roundSize(size);
    counts.set(key, (counts.get(key) ?? 0) + cells.reduce((sum, cell) => sum + cell.length, 0));
  }
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

function headingSizesOf(lines: readonly PdfLine[], bodySize: number): number[] {
  const sizes = new Set(lines.map(({ size }) => roundSize(size)));
  return [...sizes].filter(size => size >= bodySize * HEADING_SIZE).toSorted((a, b) => b - a);
}

function isAtEdge(at: number, page: readonly PdfLine[]): boolean {
  return at < EDGE_LINES || at >= page.length - EDGE_LINES;
}

/** The height belongs to it: the first line of a chapter is none of a running title. */
function keyOf({ cells, y }: PdfLine): string {
  return `${Math.round(y)} ${cells.join(' ').replace(/\d+/g, '#')}`;
}

function runningTextsOf(pages: readonly (readonly PdfLine[])[]): Set<string> {
  const counts = new Map<string, number>();
  for (const page of pages) {
    const edges = page.filter((_line, at) => isAtEdge(at, page));
    for (const key of new Set(edges.map(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const isRunning = (count: number) => pages.length >= MIN_PAGES_TO_COMPARE && count > pages.length / 2;
  return new Set([...counts].flatMap(([key, count]) => (isRunning(count) ? [key] : [])));
}

/** A piece of text on a page of a PDF, in the order of its content. */
export interface PdfItem {
  readonly text: string;
  /** In points from the lower left corner. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** The size of the font. */
  readonly size: number;
}

/** Texts at one height, in cells where wide gaps are between them. */
export interface PdfLine {
  readonly cells: readonly string[];
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

/** The gap between words, and that between columns, as parts of the font size. */
const WORD_GAP = 0.15;
const COLUMN_GAP = 1.5;
const SAME_HEIGHT = 0.5;

/** Joins the items of a page to lines. Lines stay in the order of the content, which follows columns of text. */
export function pdfLinesOf(items: readonly PdfItem[]): PdfLine[] {
  const lines: {
    cells: string[];
    x: number;
    y: number;
    size: number;
    end: number;
    sizes: Map<number, number>;
  }[] = [];
  for (const { text, x, y, width, size } of items) {
    const line = lines.at(-1);
    const isSame = line && Math.abs(line.y - y) <= SAME_HEIGHT * Math.max(line.size, size);
    const gap = isSame ? x - line.end : 0;
    if (!isSame || gap < -SAME_HEIGHT * size) {
      if (text.trim() !== '')
        lines.push({ cells: [text], x, y, size, end: x + width, sizes: new Map([[size, text.length]]) });
      continue;
    }
    if (text.trim() === '') continue;
    line.end = x + width;
    line.sizes.set(size, (line.sizes.get(size) ?? 0) + text.length);
    line.size = mostOf(line.sizes);
    const last = line.cells.length - 1;
    if (gap > COLUMN_GAP * size) line.cells.push(text);
    else line.cells[last] += (gap > WORD_GAP * size ? ' ' : '') + text;
  }
  return lines.map(({ cells, x, y, size }) => ({ cells: cells.map(clean), x, y, size }));
}

/** The size of most characters of a line: one full stop in a larger font makes no heading. */
function mostOf(sizes: ReadonlyMap<number, number>): number {
  return [...sizes].reduce((most, each) => (each[1] > most[1] ? each : most))[0];
}

function clean(text: string): string {
  return text.split(/\s+/).join(' ').trim().normalize('NFC');
}
