import type { Block } from '../../domain/documents/block.ts';
import { isLongHeader, labelledRow, labelsOf, unusedLabelsOf } from '../../domain/documents/table-text.ts';
import { UnreadableError } from '../document-kind.ts';

/** A row of a CSV file or of a sheet. */
export interface Row {
  /** The row's number in a spreadsheet, from 1. */
  readonly number: number;
  readonly cells: readonly string[];
}

/** This many rows are enough to find the header below a title. */
export const SAMPLE_ROWS = 100;

/**
 * Each row stands for itself, with the header as labels. Lines of a title before the header are text. `most` limits the length
 * of all, since a label is repeated in each row.
 */
export function recordsOf(
  all: readonly Row[],
  most: number,
  placeOf = ({ number }: Row) => `row ${number}`,
): Block[] {
  const headerAt = headerPlaceOf(all);
  const [header, ...rows] = all.slice(headerAt);
  const names = header?.cells ?? [];
  const labels = labelsOf(names);
  const blocks: Block[] = all
    .slice(0, headerAt)
    .map(({ cells }) => ({ kind: 'text', text: filledOf(cells).join(' ') }));
  // A name that is cut, or that no row has, is told once.
  const untold =
    isLongHeader(names) || rows.length === 0
      ? names
      : unusedLabelsOf(
          labels,
          rows.map(({ cells }) => cells),
        );
  if (header && untold.length > 0)
    blocks.push({ kind: 'entry', text: untold.join('\n'), place: placeOf(header) });
  let length = 0;
  for (const row of rows) {
    const text = labelledRow(labels, row.cells);
    length += text.length;
    if (length > most) throw new UnreadableError('too-many-passages');
    blocks.push({ kind: 'entry', text, place: placeOf(row) });
  }
  return blocks;
}

/** A row of one cell is no header if others have several. */
export function headerPlaceOf(rows: readonly Row[]): number {
  const first = rows.slice(0, SAMPLE_ROWS).findIndex(({ cells }) => filledOf(cells).length > 1);
  return Math.max(first, 0);
}

function filledOf(cells: readonly string[]): string[] {
  return cells.map(cell => cell.trim()).filter(cell => cell !== '');
}
