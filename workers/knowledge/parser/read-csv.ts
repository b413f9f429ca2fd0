import { parse } from 'csv-parse/sync';
import { type Block, type DocumentText, mostCharactersOf } from '../../domain/documents/block.ts';
import { isLongHeader, labelledRow, labelsOf } from '../../domain/documents/table-text.ts';
import { UnreadableError } from '../document-kind.ts';

const MAX_RECORD = 1_048_576;

/** Each row stands for itself, with the header as labels. Spreadsheets of Brazil separate by semicolons. */
export function readCsv(text: string): DocumentText {
  const [header = [], ...rows] = rowsOf(text);
  const labels = labelsOf(header);
  const blocks: Block[] = [];
  if (isLongHeader(header) || rows.length === 0)
    blocks.push({ kind: 'entry', text: header.join('\n'), place: 'row 1' });
  let length = 0;
  for (const [at, row] of rows.entries()) {
    const entry = labelledRow(labels, row);
    length += entry.length;
    if (length > mostCharactersOf(text.length)) throw new UnreadableError('too-many-passages');
    blocks.push({ kind: 'entry', text: entry, place: `row ${at + 2}` });
  }
  return { blocks };
}

function rowsOf(text: string): string[][] {
  const options = { relax_column_count: true, skip_empty_lines: true, max_record_size: MAX_RECORD };
  try {
    return parse(text, { ...options, delimiter: delimiterOf(text) });
  } catch {
    throw new UnreadableError('broken');
  }
}

/** The one that is most frequent in the header. */
function delimiterOf(text: string): string {
  const [header = ''] = text.split('\n', 1);
  const countOf = (delimiter: string) => header.split(delimiter).length;
  return [';', ',', '\t'].reduce((best, each) => (countOf(each) > countOf(best) ? each : best), ',');
}
