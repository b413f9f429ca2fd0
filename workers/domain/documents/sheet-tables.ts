import { type CellKind, isAttribute, isFigure, isName, kindOfCell } from './cell-kinds.ts';

/*
 * A sheet, or a file of rows, may have several tables: below one another, with their titles between them, or side by side.
 * A row gets the labels of a header only where it is a row of that table; where that is in doubt, it has none.
 */

export interface Row {
  /** The row's number in a spreadsheet, from 1. */
  readonly number: number;
  readonly cells: readonly string[];
  /** Whether the row is set apart by its looks: in bold, one cell over several columns, a line without a delimiter. */
  readonly isApart?: boolean;
}

export interface SheetTable {
  /** Rows of one cell above the header. */
  readonly titles: readonly Row[];
  readonly header: Row | undefined;
  readonly rows: Row[];
}

/** A column's values so far, for the question whether further ones are alike. */
interface Column {
  readonly kinds: Set<CellKind>;
  readonly texts: Set<string>;
}

const MAX_TEXTS = 1_000;
/** More empty columns are a way to lay a form out. */
const MAX_SIDES = 4;

/** Returns the tables, and the rows of one cell that stand below them all and apart. */
export function tablesOf(rows: readonly Row[]): { tables: SheetTable[]; notes: Row[] } {
  const filled = rows.filter(({ cells }) => widthOf(cells) > 0);
  const isMulti = ({ cells }: Row) => widthOf(cells) > 1;
  if (!filled.some(isMulti))
    return { tables: [{ titles: [], header: filled[0], rows: filled.slice(1) }], notes: [] };
  const tables: SheetTable[] = [];
  let columns: Column[] = [];
  let lead: Row[] = [];
  let hasGap = false;
  const begin = (table: SheetTable): void => {
    tables.push(table);
    columns = [];
    for (const row of table.rows) learn(columns, row);
  };
  const known = new Set(rows.map(({ number }) => number));
  for (const [at, row] of filled.entries()) {
    hasGap ||= at > 0 && !known.has(row.number - 1);
    if (!isMulti(row)) {
      lead.push(row);
      continue;
    }
    const table = tables.at(-1);
    const isAfter = hasGap || lead.length > 0;
    const next = filled[at + 1];
    const role = table
      ? roleOf(row, next?.number === row.number + 1 ? next : undefined, table, columns)
      : 'header';
    if (!table)
      begin(
        headless(row)
          ? { titles: lead, header: undefined, rows: [row] }
          : { titles: lead, header: row, rows: [] },
      );
    else if (role === 'header' && (isAfter || isRepeated(row, table) || row.isApart))
      begin({ titles: lead, header: row, rows: [] });
    else if (role === 'unknown' && hasGap) begin({ titles: lead, header: undefined, rows: [row] });
    else {
      for (const each of [...lead, row]) table.rows.push(each);
      learn(columns, row);
    }
    [lead, hasGap] = [[], false];
  }
  if (!hasGap) for (const row of lead) tables.at(-1)?.rows.push(row);
  return { tables, notes: hasGap ? lead : [] };
}

/** A price, a phone or an e-mail is no name of a column: such a first row has none above it. */
function headless({ cells }: Row): boolean {
  return cells.some(cell => /^(?:money|phone|email)$/.test(kindOfCell(cell)));
}

function roleOf(
  row: Row,
  next: Row | undefined,
  table: SheetTable,
  columns: readonly Column[],
): 'header' | 'row' | 'unknown' {
  if (isRepeated(row, table)) return 'header';
  if (table.rows.length === 0) return 'row';
  const isLikeHeader = table.header?.isApart === true && table.rows.some(({ isApart }) => !isApart);
  if (isLikeHeader && row.isApart && next && !next.isApart) return 'header';
  const isOwnLabel = (cell: string, at: number) =>
    cell.trim() !== '' && cell.trim() === table.header?.cells[at]?.trim();
  if (row.cells.some(isOwnLabel)) return 'header';
  const isFit = fits(row, columns);
  if (!next || widthOf(next.cells) < 2) return isFit ? 'row' : 'unknown';
  const names = row.cells.filter(cell => cell.trim() !== '');
  if (!names.every(isName) || new Set(names).size < names.length) return isFit ? 'row' : 'unknown';
  if (isLikeHeader) return isFit ? 'row' : 'unknown';
  if (names.every(isAttribute) && !next.cells.some(isAttribute)) return 'header';
  const isBelow = (cell: string, at: number) => cell.trim() !== '' && isFigure(next.cells[at] ?? '');
  const isMixed = (at: number) =>
    columns[at]?.kinds.has('text') === true && [...(columns[at]?.kinds ?? [])].some(kind => kind !== 'text');
  if (row.cells.some((cell, at) => isBelow(cell, at) && !isMixed(at))) return 'header';
  if (!isFit || !fits(next, columns)) return 'header';
  const isKnown = (cell: string, at: number) => at > 0 && columns[at]?.texts.has(cell.trim());
  return row.cells.some(isKnown) || next.cells.some(isKnown) ? 'row' : 'unknown';
}

function isRepeated({ cells }: Row, { header }: SheetTable): boolean {
  return header !== undefined && trimmed(cells).join('\u0000') === trimmed(header.cells).join('\u0000');
}

/** Whether each value is of a kind that its column has, or a text, which may stand for any value. */
function fits({ cells }: Row, columns: readonly Column[]): boolean {
  return cells.every((cell, at) => {
    const kind = kindOfCell(cell);
    return (
      kind === 'empty' || (columns[at] !== undefined && (kind === 'text' || columns[at].kinds.has(kind)))
    );
  });
}

function learn(columns: Column[], { cells }: Row): void {
  for (const [at, cell] of cells.entries()) {
    const kind = kindOfCell(cell);
    if (kind === 'empty') continue;
    const { kinds, texts } = (columns[at] ??= { kinds: new Set(), texts: new Set() });
    kinds.add(kind);
    if (kind === 'text' && texts.size < MAX_TEXTS) texts.add(cell.trim());
  }
}

export function widthOf(cells: readonly string[]): number {
  return cells.reduce((count, cell) => count + (cell.trim() === '' ? 0 : 1), 0);
}

function trimmed(cells: readonly string[]): string[] {
  const texts = cells.map(cell => cell.trim());
  return texts.slice(0, texts.findLastIndex(text => text !== '') + 1);
}

/** Divides tables that stand side by side, with an empty column between them and names of their own in each. */
export function sidesOf(rows: readonly Row[]): Row[][] {
  const isFilled: boolean[] = [];
  for (const { cells } of rows)
    for (const [at, cell] of cells.entries()) if (cell.trim() !== '') isFilled[at] = true;
  const starts = Array.from(isFilled.keys()).filter(at => isFilled[at] && !isFilled[at - 1]);
  if (starts.length < 2 || starts.length > MAX_SIDES) return [[...rows]];
  const areas = starts.map((start, at) => [start, starts[at + 1] ?? isFilled.length] as const);
  const sides = areas.map(([from, to]) =>
    rows.map(row => ({ ...row, cells: row.cells.map((cell, at) => (at >= from && at < to ? cell : '')) })),
  );
  return sides.every(isWhole) ? sides : [[...rows]];
}

/** Whether the rows make a table alone: a name in each that no other one has. */
function isWhole(rows: readonly Row[]): boolean {
  const multi = rows.filter(({ cells }) => widthOf(cells) > 1);
  const names = multi.map(({ cells }) => cells.find(cell => cell.trim() !== '')?.trim() ?? '');
  return multi.length > 1 && new Set(names).size === names.length && !names.some(isFigure);
}
