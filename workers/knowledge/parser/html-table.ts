import { type AnyNode, type Element, isTag } from 'domhandler';
import { findAll, getElementsByTagName } from 'domutils';
import { type Block, MAX_CELLS } from '../../domain/documents/block.ts';
import { UnreadableError } from '../document-kind.ts';
import { MAX_DEPTH } from './html-page.ts';

/*
 * A table of a page becomes a grid before it is text: a cell over several rows or columns stands in each of them. Heading rows
 * form one header. A row of one cell is a title: of the table if above the header, otherwise of the rows below it.
 */

/** Reads a cell, and counts repeated text, so that spans cannot make a text far longer than the page. */
export interface CellReader {
  readCell(cell: Element, isHeader: boolean): string;
  repeat(text: string): string;
}

interface Cell {
  readonly element: Element;
  readonly text: string;
}

type Table = Extract<Block, { kind: 'table' }>;

const HEADER_ROWS = 3;
/** Browsers have the same limit. */
const MAX_COLUMNS = 1_000;
const JOINT = ' · ';
const TABLE_ROLES = new Map([
  ['table', 'table'],
  ['grid', 'table'],
  ['treegrid', 'table'],
  ['rowgroup', 'tbody'],
  ['row', 'tr'],
  ['columnheader', 'th'],
  ['rowheader', 'th'],
  ['cell', 'td'],
  ['gridcell', 'td'],
]);

/** Names the elements of which a page makes a table by their roles, so that it is one like the others. */
export function nameTables(nodes: AnyNode[]): void {
  for (const element of findAll(({ attribs }) => TABLE_ROLES.has(attribs['role'] ?? ''), nodes))
    element.name = TABLE_ROLES.get(element.attribs['role'] ?? '') ?? element.name;
}

/** A table that holds other tables and has no header only arranges the page. */
export function isDataTable(table: Element): boolean {
  if (/^(?:presentation|none)$/.test(table.attribs['role'] ?? '')) return false;
  const rows = rowsOf(table);
  if (!rows.some(row => cellsOf(row).length > 1)) return false;
  const isNamed = captionIn(table) !== undefined || rows.some(row => cellsOf(row).some(isHead));
  return isNamed || getElementsByTagName('table', table.children, true, 1).length === 0;
}

function captionIn(table: Element): Element | undefined {
  return table.children.filter(isTag).find(({ name }) => name === 'caption');
}

/** Returns the caption in, before or around a table. */
export function captionOf(table: Element): Element | undefined {
  const own = captionIn(table);
  if (own) return own;
  const before = table.prev;
  if (before && isTag(before) && before.attribs['class'] === 'caption') return before;
  const figure = figureAround(table);
  const caption = figure && getElementsByTagName('figcaption', figure, true, 1)[0];
  return caption && captionedTable(caption) === table ? caption : undefined;
}

export function tableBelow({ next }: Element): Element | undefined {
  return next && isTag(next) && next.name === 'table' && isDataTable(next) ? next : undefined;
}

export function captionedTable(caption: Element): Element | undefined {
  const figure = figureAround(caption);
  const [table, ...more] = figure ? getElementsByTagName('table', figure, true, 2) : [];
  return table && more.length === 0 && isDataTable(table) ? table : undefined;
}

function figureAround({ parent }: Element): Element | undefined {
  for (const element of [parent, parent?.parent])
    if (element && isTag(element) && element.name === 'figure') return element;
  return undefined;
}

export function readTable(table: Element, caption: string, reader: CellReader): Table {
  const elements = rowsOf(table);
  const titles = countTitles(elements);
  const headerRows = countHeaderRows(elements.slice(titles));
  const grid = fillGrid(elements, titles + headerRows, reader);
  const title = [caption, ...grid.slice(0, titles).map(row => row[0]?.text ?? '')].filter(Boolean);
  const rows = grid.slice(titles + headerRows).map(row => (isOneCell(row) ? row.slice(0, 1) : row));
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const header = joinHeader(grid.slice(titles, titles + headerRows), width);
  return {
    kind: 'table',
    ...(title.length === 0 ? {} : { caption: title.join(JOINT) }),
    header,
    rows: rows.map(row => row.map(({ text }) => text)),
  };
}

function fillGrid(rows: readonly Element[], headerEnd: number, { readCell, repeat }: CellReader): Cell[][] {
  let count = 0;
  let above: { readonly cell: Cell; readonly left: number }[] = [];
  let group: AnyNode | null = null;
  return rows.map((row, at) => {
    if (row.parent !== group) above = [];
    group = row.parent;
    const filled: Cell[] = [];
    const below: typeof above = [];
    const put = (cell: Cell, left: number) => {
      // `colspan=1000` in 600,000 rows of a page of 16 MiB would be 600 million cells.
      if ((count += 1) > MAX_CELLS) throw new UnreadableError('too-many-passages');
      if (left > 0) below[filled.length] = { cell, left };
      filled.push(cell);
    };
    const fillFromAbove = () => {
      for (let from = above[filled.length]; from; from = above[filled.length]) {
        repeat(from.cell.text);
        put(from.cell, from.left - 1);
      }
    };
    for (const element of cellsOf(row)) {
      fillFromAbove();
      const cell = { element, text: readCell(element, at < headerEnd) };
      const columns = spanOf(element, 'colspan');
      for (let column = 0; column < columns; column += 1) {
        if (column > 0) repeat(cell.text);
        put(cell, spanOf(element, 'rowspan') - 1);
      }
    }
    fillFromAbove();
    above = below;
    return filled;
  });
}

/** Counts the rows of one cell above the header. */
function countTitles(rows: readonly Element[]): number {
  const first = rows.findIndex(row => cellsOf(row).length > 1);
  const isTitle = (row: Element) => {
    const cells = cellsOf(row);
    return cells.length === 1 && spanOf(cells[0], 'colspan') > 1 && spanOf(cells[0], 'rowspan') === 1;
  };
  return first > 0 && rows.slice(0, first).every(isTitle) ? first : 0;
}

function countHeaderRows(rows: readonly Element[]): number {
  const [first] = rows;
  if (!first) return 0;
  const inHead = rows.findIndex(row => !isIn(row, 'thead'));
  if (inHead > 0) return Math.min(inHead, HEADER_ROWS);
  if (inHead < 0) return Math.min(rows.length, HEADER_ROWS);
  const ofHeads = rows.findIndex(row => !isHeaderRow(row));
  if (ofHeads > 0) return Math.min(ofHeads, HEADER_ROWS);
  if (ofHeads < 0) return 1;
  // Rows with names of their own leave none for the columns.
  if (cellsOf(first).some(isHead)) return 0;
  const cells = cellsOf(first);
  const hasGroups = cells.some(cell => spanOf(cell, 'colspan') > 1);
  const rowSpans = cells.map(cell => spanOf(cell, 'rowspan')).filter(Number.isFinite);
  return hasGroups ? Math.min(Math.max(...rowSpans, 1), HEADER_ROWS) : 1;
}

/** A header row has only headings of columns, and empty cells. */
function isHeaderRow(row: Element): boolean {
  const cells = cellsOf(row);
  return cells.some(isHead) && cells.every(cell => isHead(cell) || cell.children.length === 0);
}

function joinHeader(rows: readonly Cell[][], width: number): string[] {
  const widest = rows.reduce((most, row) => Math.max(most, row.length), 0);
  // A cell may claim more columns than there are.
  const own = rows.reduce(
    (most, row) => Math.max(most, row.findLastIndex((each, at) => each !== row[at - 1]) + 1),
    0,
  );
  return Array.from({ length: width === 0 ? widest : Math.max(width, own) }, (_, column) => {
    const texts = rows.map(row => (isOneCell(row) && column > 0 ? '' : (row[column]?.text ?? '')));
    return [...new Set(texts.filter(Boolean))].join(JOINT);
  });
}

function isOneCell(row: readonly Cell[]): boolean {
  return row.length > 1 && row.every(cell => cell === row[0]);
}

function spanOf(cell: Element | undefined, name: 'colspan' | 'rowspan'): number {
  const span = Number.parseInt(cell?.attribs[name] ?? '1', 10);
  if (name === 'rowspan' && span === 0) return Number.POSITIVE_INFINITY;
  return Number.isNaN(span) || span < 1 ? 1 : Math.min(span, MAX_COLUMNS);
}

function isHead({ name }: Element): boolean {
  return name === 'th';
}

function isIn(row: Element, name: string): boolean {
  return row.parent !== null && isTag(row.parent) && row.parent.name === name;
}

function cellsOf(row: Element): Element[] {
  return row.children.filter(isTag).filter(({ name }) => name !== 'script' && name !== 'template');
}

function rowsOf(table: Element): Element[] {
  return [...rowsIn(table.children, 0)];
}

/** A row within a row is text of the outer one: as separate rows, each would repeat all that it holds. */
function* rowsIn(nodes: readonly AnyNode[], depth: number): Generator<Element> {
  if (depth > MAX_DEPTH) return;
  for (const node of nodes) {
    if (!isTag(node)) continue;
    if (node.name === 'tr') yield node;
    else if (node.name !== 'table' && node.name !== 'caption') yield* rowsIn(node.children, depth + 1);
  }
}
