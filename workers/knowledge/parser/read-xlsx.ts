import {
  type Block,
  type DocumentText,
  lengthOf,
  MAX_CELLS,
  maxCharactersOf,
} from '../../domain/documents/block.ts';
import type { Row } from '../../domain/documents/sheet-tables.ts';
import { UnreadableError } from '../document-kind.ts';
import { checkArchive, pathOf, readRelations, relationsOf, unpack } from './archive.ts';
import { headerPlaceOf, recordsOf } from './records.ts';
import { readSharedTexts, readStyles, readWorkbook } from './xlsx-parts.ts';
import { type Area, type Book, readSheet, type Sheet } from './xlsx-sheet.ts';

const MAIN_PART = 'xl/workbook.xml';
const MAX_HEADER_ROWS = 3;
const JOINT = ' · ';

/** Reads the visible sheets, each as a table like a CSV file's: a row stands for itself. Several have their names. */
export function readXlsx(bytes: Uint8Array): DocumentText {
  const main = checkArchive(bytes, MAIN_PART, 'workbook');
  // Files are unpacked one at a time: together they may be 200 MiB.
  const fileOf = (path: string) => unpack(bytes, name => name === path)[path];
  const { sheets, is1904 } = readWorkbook(fileOf(main));
  const relations = readRelations(fileOf(relationsOf(main)));
  const paths = new Map(relations.map(({ id, target }) => [id, pathOf(target, main)]));
  const partOf = (wanted: string) => {
    const target = relations.find(({ type }) => type === wanted)?.target;
    return target === undefined ? undefined : fileOf(pathOf(target, main));
  };
  const texts = readSharedTexts(partOf('sharedStrings'));
  const styles = readStyles(partOf('styles'));
  const book: Book = { styles, texts, is1904, cells: 0, length: 0, struck: 0 };
  const read = sheets.flatMap(({ name, relation }) => {
    const path = paths.get(relation) ?? '';
    const sheet = readSheet(fileOf(path), book, targetsOf(fileOf(relationsOf(path))));
    return sheet.rows.size === 0 ? [] : [{ name, rows: rowsOf(sheet, book) }];
  });
  const most = maxCharactersOf(book.length);
  let length = 0;
  const blocks = read.flatMap(({ name, rows }): Block[] => {
    const placeOf = ({ number }: Row) => `${read.length > 1 ? `${name}, ` : ''}row ${number}`;
    const records = recordsOf(rows, most - length, placeOf);
    for (const record of records) length += lengthOf(record);
    return read.length > 1 ? [{ kind: 'heading', level: 1, text: name }, ...records] : records;
  });
  return { blocks, ...(book.struck === 0 ? {} : { struck: book.struck }) };
}

function targetsOf(file: Uint8Array | undefined): Map<string, string> {
  return new Map(readRelations(file).map(({ id, target }) => [id, target]));
}

/** Returns the rows with a header of one row, and merged cells repeated in each of their rows and columns. */
function rowsOf(sheet: Sheet, book: Book): Row[] {
  const numbers = [...sheet.rows.keys()].toSorted((a, b) => a - b);
  const isBeside = fillMerged(sheet, numbers, book);
  const rows = numbers.map(number => {
    const cells = sheet.rows.get(number) ?? [];
    // A row with only one cell is a title.
    const filled = [...cells.keys()].filter(at => cells[at]?.trim());
    const isOne = filled.slice(1).every(at => isBeside(number, at));
    const isApart = !sheet.plain.has(number) || (isOne && filled.length > 1);
    return { number, cells: isOne ? cells.slice(0, (filled[0] ?? 0) + 1) : cells, isApart };
  });
  const headerAt = headerPlaceOf(rows);
  const first = rows[headerAt]?.number ?? 0;
  const end = first + countHeaderRows(sheet, first, isBeside);
  const header = joinHeader(rows.slice(headerAt).filter(({ number }) => number < end));
  const records = rows.slice(headerAt).filter(({ number }) => number >= end);
  return [
    ...rows.slice(0, headerAt),
    // The records follow the last row of the header.
    { number: end - 1, cells: header, isApart: rows[headerAt]?.isApart ?? false },
    // A value over several columns of one name is told once.
    ...records.map(row => ({
      ...row,
      cells: row.cells.map((text, at) =>
        isBeside(row.number, at) && header[at] === header[at - 1] ? '' : text,
      ),
    })),
    ...Array.from(sheet.blank, number => ({ number, cells: [] })),
  ].map(row => ({
    ...row,
    number: row.number + 1,
    // Without these, a hidden column is no gap between two tables.
    cells: row.cells.filter((_, at) => !sheet.isHidden(at)),
  }));
}

/** Fills merged areas. Returns whether a cell repeats one on its left. */
function fillMerged({ rows, merged }: Sheet, numbers: readonly number[], book: Book) {
  const width = numbers.reduce((most, number) => Math.max(most, rows.get(number)?.length ?? 0), 0);
  const beside = new Set<number>();
  const places = new Map(numbers.map((number, at) => [number, at]));
  const placeIn = (row: number, column: number) => row * width + column;
  for (const { top, left, bottom, right } of merged) {
    const text = rows.get(top)?.[left] ?? '';
    if (text.trim() === '') continue;
    for (let at = places.get(top) ?? 0; (numbers[at] ?? Number.POSITIVE_INFINITY) <= bottom; at += 1) {
      const row = numbers[at] ?? 0;
      const cells = rows.get(row) ?? [];
      const end = Math.min(right, width - 1);
      // `A1:XFD1048576` is 17 thousand million cells, and may be listed a million times; `XFD1:XFD1048576` has as many before it.
      book.cells += end + 1 - Math.min(left, cells.length);
      if (book.cells > MAX_CELLS) throw new UnreadableError('too-many-passages');
      for (let column = left; column <= end; column += 1) {
        while (cells.length < column) cells.push('');
        cells[column] = text;
        if (column > left) beside.add(placeIn(row, column));
      }
    }
  }
  return (row: number, column: number) => beside.has(placeIn(row, column));
}

/** A header cell over several rows, or over columns that have names of their own, makes the header several rows high. */
function countHeaderRows(
  { rows, merged }: Sheet,
  first: number,
  isBeside: (row: number, column: number) => boolean,
): number {
  const own = merged.filter(({ top }) => top === first);
  const isGroup = ({ left, right, bottom }: Area) =>
    bottom === first && right > left && rows.get(first + 1)?.[left + 1] && !isBeside(first + 1, left + 1);
  const most = own.reduce((height, { top, bottom }) => Math.max(height, bottom - top + 1), 1);
  return Math.min(Math.max(most, own.some(isGroup) ? 2 : 1), MAX_HEADER_ROWS);
}

function joinHeader(rows: readonly Row[]): string[] {
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  return Array.from({ length: width }, (_, at) =>
    [...new Set(rows.map(({ cells }) => cells[at]?.trim() ?? '').filter(text => text !== ''))].join(JOINT),
  );
}
