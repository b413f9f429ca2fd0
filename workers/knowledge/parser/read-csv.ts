import { parse } from 'csv-parse/sync';
import { type Block, type DocumentText, mostCharactersOf } from '../../domain/documents/block.ts';
import { isLongHeader, labelledRow, labelsOf } from '../../domain/documents/table-text.ts';
import { UnreadableError } from '../document-kind.ts';

const MAX_RECORD = 1_048_576;

/** In their order where two fit as well: spreadsheets of Brazil separate by semicolons. */
const DELIMITERS = [';', ',', '\t', '|'];
/** Enough to tell the delimiter, and to find the header below a title. */
const SAMPLE_ROWS = 100;
const SAMPLE_LENGTH = 100_000;
/** The line by which Excel tells the delimiter. */
const SEP_LINE = /^\ufeff?"?sep=(.)"?\r?\n/i;

/** Each row stands for itself, with the header as labels. Lines of a title before the header are text. */
export function readCsv(text: string): DocumentText {
  const [sepLine = '', sep] = SEP_LINE.exec(text) ?? [];
  const body = text.slice(sepLine.length);
  const all = rowsOf(body, sep ?? delimiterOf(body));
  const headerAt = headerPlaceOf(all);
  const [header = [], ...rows] = all.slice(headerAt);
  const firstRow = headerAt + (sepLine === '' ? 1 : 2);
  const labels = labelsOf(header);
  const blocks: Block[] = all
    .slice(0, headerAt)
    .map(row => ({ kind: 'text', text: filledOf(row).join(' ') }));
  if (isLongHeader(header) || rows.length === 0)
    blocks.push({ kind: 'entry', text: header.join('\n'), place: `row ${firstRow}` });
  let length = 0;
  for (const [at, row] of rows.entries()) {
    const entry = labelledRow(labels, row);
    length += entry.length;
    if (length > mostCharactersOf(text.length)) throw new UnreadableError('too-many-passages');
    blocks.push({ kind: 'entry', text: entry, place: `row ${firstRow + at + 1}` });
  }
  return { blocks };
}

function rowsOf(text: string, delimiter: string): string[][] {
  const options = {
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD,
  };
  // A quote that is never closed is a sign, as in `5" de altura`.
  for (const quote of ['"', false] as const)
    try {
      return parse(text, { ...options, quote });
    } catch {
      // Tried once more without quotes.
    }
  throw new UnreadableError('broken');
}

const filledOf = (row: readonly string[]) => row.map(cell => cell.trim()).filter(cell => cell !== '');

/** A row with one cell only, where others have several, is no header. */
function headerPlaceOf(rows: readonly (readonly string[])[]): number {
  const first = rows.slice(0, SAMPLE_ROWS).findIndex(row => filledOf(row).length > 1);
  return Math.max(first, 0);
}

/** The one that gives most rows the same number of fields, more than one. */
function delimiterOf(text: string): string {
  const start = text.slice(0, SAMPLE_LENGTH);
  const sample = start.length < text.length ? start.slice(0, start.lastIndexOf('\n') + 1) : start;
  const fitOf = (delimiter: string) => {
    const counts = new Map<number, number>();
    for (const { length } of rowsOf(sample, delimiter).slice(0, SAMPLE_ROWS))
      if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1);
    return Math.max(0, ...counts.values());
  };
  const fits = DELIMITERS.map(delimiter => ({ delimiter, fit: fitOf(delimiter) }));
  return fits.reduce((best, each) => (each.fit > best.fit ? each : best)).delimiter;
}
