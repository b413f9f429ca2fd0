import { parse } from 'csv-parse/sync';
import { type DocumentText, maxCharactersOf } from '../../domain/documents/block.ts';
import { UnreadableError } from '../document-kind.ts';
import { mendCommas } from './mend-commas.ts';
import { recordsOf, SAMPLE_ROWS } from './records.ts';

const MAX_RECORD = 1_048_576;

/** Of two that fit equally well the first is taken: Brazilian spreadsheets separate by semicolons. */
const DELIMITERS = [';', ',', '\t', '|'];
const SAMPLE_LENGTH = 100_000;
/** Excel writes this line to name the delimiter. */
const SEP_LINE = /^\ufeff?"?sep=(.)"?\r?\n/i;

/** Each row stands for itself, with the header as labels. Lines of a title before the header are text. */
export function readCsv(text: string): DocumentText {
  const [sepLine = '', sep] = SEP_LINE.exec(text) ?? [];
  const body = text.slice(sepLine.length);
  const firstRow = sepLine === '' ? 1 : 2;
  const delimiter = sep ?? delimiterOf(body);
  const { read, places } = readRows(body, delimiter);
  const lines = delimiter === ',' ? mendCommas(read) : read;
  const isWide = lines.some(({ length }) => length > 2);
  const rows = lines.flatMap((cells, at) =>
    cells.every(cell => cell.trim() === '')
      ? []
      : [{ number: firstRow + (places[at] ?? 0), cells, isApart: isWide && cells.length === 1 }],
  );
  return { blocks: recordsOf(rows, maxCharactersOf(text.length)) };
}

/** An empty line is no row, but it has a place, so that the rows around it are seen to be apart. */
function readRows(text: string, delimiter: string): { read: string[][]; places: number[] } {
  // A quote that is never closed is a plain character, as in `5" de altura`.
  for (const quote of ['"', false] as const)
    try {
      const places: number[] = [];
      const read: string[][] = parse(text, {
        delimiter,
        quote,
        relax_column_count: true,
        relax_quotes: true,
        skip_empty_lines: true,
        max_record_size: MAX_RECORD,
        on_record: (record: string[], { empty_lines: empty }) => {
          places.push(places.length + empty);
          return record;
        },
      });
      return { read, places };
    } catch {
      // The next round tries without quotes.
    }
  throw new UnreadableError('broken');
}

/** Returns the delimiter that gives most rows the same number of fields, more than one. */
function delimiterOf(text: string): string {
  const start = text.slice(0, SAMPLE_LENGTH);
  const sample = start.length < text.length ? start.slice(0, start.lastIndexOf('\n') + 1) : start;
  const fitOf = (delimiter: string) => {
    const counts = new Map<number, number>();
    for (const { length } of readRows(sample, delimiter).read.slice(0, SAMPLE_ROWS))
      if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1);
    return Math.max(0, ...counts.values());
  };
  const fits = DELIMITERS.map(delimiter => ({ delimiter, fit: fitOf(delimiter) }));
  return fits.reduce((best, each) => (each.fit > best.fit ? each : best)).delimiter;
}
