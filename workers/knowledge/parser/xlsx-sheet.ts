import { format as formatNumber, getFormatFromId, isDateFormat } from 'numfmt';
import { MAX_CELLS, MAX_TEXT } from '../../domain/documents/block.ts';
import { UnreadableError } from '../document-kind.ts';
import { addressOf, linkText } from './html-page.ts';
import { type CellStyle, type CellText, makeTextCollector, readXml, unescaped } from './xlsx-parts.ts';

export interface Book {
  readonly styles: readonly CellStyle[];
  readonly texts: readonly CellText[];
  readonly is1904: boolean;
  /** `cells` includes empty cells to the left of others, `length` has the characters of texts, `struck` the struck ones. */
  cells: number;
  length: number;
  struck: number;
}

/** Cells from one to another, counted from 0, that are merged. */
export interface Area {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

export interface Sheet {
  /** The cells of each row that has a text, up to its last text. */
  readonly rows: ReadonlyMap<number, string[]>;
  readonly merged: readonly Area[];
  /** Rows with a text that is not in bold. */
  readonly plain: ReadonlySet<number>;
  /** Rows that show nothing and are not empty: what they have is struck through, an error or hidden. */
  readonly blank: ReadonlySet<number>;
  isHidden(column: number): boolean;
}

interface Cell {
  readonly row: number;
  readonly column: number;
  readonly type: string;
  readonly style: CellStyle | undefined;
  value: string;
  formula: string;
}

const MAX_COLUMNS = 16_384;
const MAX_ROWS = 1_048_576;
/** A formula with a literal address. */
const LINK = /^HYPERLINK\(\s*"([^"]+)"/i;

/**
 * Reads the cells as they are shown. Hidden columns are left out; a hidden row is read, because a filter hides it only for a
 * moment. The size that a sheet claims is not believed, and a cell without a value takes no room.
 */
export function readSheet(
  file: Uint8Array | undefined,
  book: Book,
  relations: ReadonlyMap<string, string>,
): Sheet {
  const rows = new Map<number, string[]>();
  const merged: Area[] = [];
  const [plain, blank] = [new Set<number>(), new Set<number>()];
  const hidden: (readonly [from: number, to: number])[] = [];
  const isHiddenAt = (at: number) => hidden.some(([from, to]) => at >= from && at <= to);
  const collector = makeTextCollector();
  let [row, column, within] = [-1, -1, ''];
  let cell: Cell | undefined;
  readXml(file, {
    open(name, attributes) {
      collector.open(name, attributes);
      within = name;
      if (name === 'row') {
        row = attributes['r'] === undefined ? row + 1 : Number(attributes['r']) - 1;
        column = -1;
      } else if (name === 'c') {
        const at = areaOf(attributes['r']);
        [row, column] = at ? [at.top, at.left] : [row, column + 1];
        const style = book.styles[Number(attributes['s'] ?? 0)];
        cell = { row, column, type: attributes['t'] ?? 'n', style, value: '', formula: '' };
      } else if (name === 'col' && isHidden(attributes['hidden']))
        hidden.push([Number(attributes['min']) - 1, Number(attributes['max']) - 1]);
      else if (name === 'mergeCell') {
        const area = areaOf(attributes['ref']);
        if (area && merged.push(area) > MAX_CELLS) throw new UnreadableError('too-many-passages');
      } else if (name === 'hyperlink') {
        const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
        link(rows, areaOf(attributes['ref']), relations.get(id));
      }
    },
    close(name) {
      collector.close(name);
      within = '';
      if (name !== 'c' || !cell) return;
      const own = collector.take();
      const text = isHiddenAt(column) ? '' : textOf(cell, own, book);
      put(rows, cell, text, book);
      if (text.trim() !== '' && cell.style?.isBold !== true) plain.add(cell.row);
      if (text.trim() === '' && (cell.value !== '' || own.text !== '' || own.isStruck)) blank.add(cell.row);
      cell = undefined;
    },
    text(text) {
      collector.text(text);
      if (cell && within === 'v') cell.value += text;
      if (cell && within === 'f') cell.formula += text;
    },
  });
  return { rows, merged, plain, blank, isHidden: isHiddenAt };
}

function put(rows: Map<number, string[]>, { row, column, formula }: Cell, text: string, book: Book): void {
  if (text.trim() === '') return;
  if (!(row >= 0 && row < MAX_ROWS && column < MAX_COLUMNS)) throw new UnreadableError('broken');
  const cells = rows.get(row) ?? [];
  rows.set(row, cells);
  // A text in the last column of each of 200,000 rows would make three thousand million cells.
  book.cells += Math.max(column + 1 - cells.length, 0);
  if (book.cells > MAX_CELLS) throw new UnreadableError('too-many-passages');
  // A million cells may share one text of 32,767 characters.
  book.length += text.length;
  if (book.length > MAX_TEXT) throw new UnreadableError('too-large');
  while (cells.length < column) cells.push('');
  cells[column] = text;
  link(rows, { top: row, left: column }, LINK.exec(formula)?.[1]);
}

function link(
  rows: ReadonlyMap<number, string[]>,
  at: Pick<Area, 'top' | 'left'> | undefined,
  href = '',
): void {
  const cells = at && rows.get(at.top);
  const text = cells?.[at?.left ?? 0]?.trim();
  const address = addressOf(href, undefined);
  if (cells && at && text && address !== undefined) cells[at.left] = linkText(text, address);
}

function textOf({ type, value, style }: Cell, inline: CellText, book: Book): string {
  const { text, isStruck } = shown(type, value, inline, style, book);
  if (isStruck || (style?.isStruck && text.trim() !== '')) book.struck += 1;
  return style?.isStruck ? '' : text;
}

function shown(
  type: string,
  value: string,
  inline: CellText,
  style: CellStyle | undefined,
  book: Book,
): CellText {
  const plain = (text: string) => ({ text, isStruck: false });
  if (type === 's') return book.texts[Number(value)] ?? plain('');
  if (type === 'inlineStr') return inline;
  if (type === 'str') return plain(unescaped(value));
  if (type === 'b') return plain(value === '1' ? 'VERDADEIRO' : 'FALSO');
  if (type === 'd') return plain(shownDate(value));
  // A formula's error says nothing.
  if (type === 'e' || value.trim() === '') return plain('');
  const number = Number(value);
  return plain(Number.isFinite(number) ? shownNumber(number, style, book.is1904) : value);
}

function isHidden(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

/** A reference is `B2:D5`, from any corner to the one across, or one cell. */
function areaOf(reference = ''): Area | undefined {
  const [, fromColumn = '', fromRow, toColumn = fromColumn, toRow = fromRow] =
    /^\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?$/.exec(reference) ?? [];
  if (fromRow === undefined) return undefined;
  const rows = [Number(fromRow), Number(toRow)];
  const columns = [columnOf(fromColumn), columnOf(toColumn)];
  return {
    top: Math.min(...rows) - 1,
    left: Math.min(...columns),
    bottom: Math.max(...rows) - 1,
    right: Math.max(...columns),
  };
}

function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/*
 * Shows a number as its cell shows it to a Brazilian reader. A date has no type of its own: it is a number of days with the format
 * of a date. A date with day, month and year in figures is written 31/12/2027, whatever their order in the format,
 * since a program writes them in its own country's.
 */

interface NumberStyle {
  readonly formatId: number;
  readonly format: string | undefined;
}

const LOCALE = 'pt-BR';
/** Days between the epochs of old Mac workbooks and of all others. */
const DAYS_TO_1904 = 1_462;
/** A number has this many exact digits. */
const MAX_DIGITS = 15;
/** Parts of a format that are no letters of it: a text, an escaped sign, and a space as wide as a sign. */
const LITERAL = /"[^"]*"|\\.|_./g;

const plainNumber = new Intl.NumberFormat(LOCALE, {
  useGrouping: false,
  maximumSignificantDigits: MAX_DIGITS,
});

function shownNumber(value: number, style: NumberStyle | undefined, is1904: boolean): string {
  const format = formatOf(style);
  // Programs show large numbers with an exponent, which makes no sense for a phone or document number.
  if (format === '' || format === '@' || /^general$/i.test(format)) return plainNumber.format(value);
  try {
    const isDate = isDateFormat(format);
    const shown = formatNumber(
      isDate ? dateFormatOf(format) : format,
      isDate && is1904 ? value + DAYS_TO_1904 : value,
      {
        locale: LOCALE,
      },
    );
    return shown.replace(/\s+/g, ' ').trim();
  } catch {
    return plainNumber.format(value);
  }
}

/** Returns the format with the words and signs of the reader's country, and a blank where it fills the cell. */
function formatOf(style: NumberStyle | undefined): string {
  const { formatId = 0, format } = style ?? {};
  const known = format ?? getFormatFromId(formatId, LOCALE);
  return known
    .replace(/\[\$([^\]-]*)(?:-[^\]]*)?\]/g, (_, sign: string) => (sign === '' ? '' : `"${sign}"`))
    .replace(/("[^"]*"|\\.)|\*./g, (_, literal: string | undefined) => literal ?? ' ');
}

function dateFormatOf(format: string): string {
  const [first = ''] = format.split(';');
  const letters = first.replace(LITERAL, '').toLowerCase();
  // After the hour, `m` means a minute.
  const [date = ''] = letters.split('h');
  const isInFigures = /(?<!d)dd?(?!d)/.test(date) && /(?<!m)mm?(?!m)/.test(date) && date.includes('y');
  if (!isInFigures) return format;
  if (!letters.includes('h')) return 'dd/mm/yyyy';
  return letters.includes('s') ? 'dd/mm/yyyy hh:mm:ss' : 'dd/mm/yyyy hh:mm';
}

/** Shows an ISO 8601 instant of a date cell. */
function shownDate(iso: string): string {
  const [, year, month, day, hour = '00', minute = '00'] =
    /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d))?/.exec(iso) ?? [];
  if (year === undefined) return iso;
  const time = hour === '00' && minute === '00' ? '' : ` ${hour}:${minute}`;
  return `${day}/${month}/${year}${time}`;
}
