import type { Block } from '../../domain/documents/block.ts';
import { pairsOf } from '../../domain/documents/label-pairs.ts';
import { isNote, sectionsOf } from '../../domain/documents/sheet-sections.ts';
import {
  type Row,
  type SheetTable,
  sidesOf,
  tablesOf,
  widthOf,
} from '../../domain/documents/sheet-tables.ts';
import { isLongHeader, labelledRow, labelsOf, unusedLabelsOf } from '../../domain/documents/table-text.ts';
import { UnreadableError } from '../document-kind.ts';

/** This many rows are enough to find the header below a title. */
export const SAMPLE_ROWS = 100;

/** The level of a title of a table; the name of a sheet is above it. */
const TITLE_LEVEL = 2;
/** Pairs of labels and values stand together up to this length. */
const MAX_PAIRS = 1_200;

type PlaceOf = (row: Row) => string;

/**
 * Each row stands for itself, with the header of its table as labels. Lines of a title before the first header are text. `most`
 * limits the length of all, since a label is repeated in each row.
 */
export function recordsOf(
  all: readonly Row[],
  most: number,
  placeOf: PlaceOf = ({ number }) => `row ${number}`,
): Block[] {
  const blocks: Block[] = [];
  let length = 0;
  const sides = sidesOf(all);
  for (const [side, rows] of sides.entries()) {
    if (side > 0) blocks.push(END_OF_SECTION);
    const { tables, notes } = tablesOf(rows);
    const isTitled = sides.length > 1 || tables.slice(1).some(({ titles }) => titles.length > 0);
    for (const [at, table] of tables.entries()) {
      const titles = titlesOf(table, isTitled || at > 0);
      if (at > 0 && !titles.some(({ kind }) => kind === 'heading')) blocks.push(END_OF_SECTION);
      blocks.push(...titles);
      for (const block of blocksOf(table, placeOf)) {
        length += 'text' in block ? block.text.length : 0;
        if (length > most) throw new UnreadableError('too-many-passages');
        blocks.push(block);
      }
    }
    if (notes.length > 0) blocks.push(END_OF_SECTION, ...notes.map(toText));
  }
  return blocks;
}

const END_OF_SECTION: Block = { kind: 'heading', level: TITLE_LEVEL, text: '' };

function toText({ cells }: Row): Block {
  return { kind: 'text', text: filledOf(cells).join(' ') };
}

/** A title of one of several tables is a heading of its rows. */
function titlesOf({ titles }: SheetTable, isHeading: boolean): Block[] {
  const texts = titles.map(toText);
  const last = texts.at(-1);
  if (!isHeading || last?.kind !== 'text' || isNote(last.text)) return texts;
  return [...texts.slice(0, -1), { kind: 'heading', level: TITLE_LEVEL, text: last.text }];
}

function* blocksOf({ header, rows }: SheetTable, placeOf: PlaceOf): Generator<Block> {
  const all = header ? [header, ...rows] : rows;
  const pairs = pairsOf(all);
  const names = header && !pairs ? header.cells : [];
  const labels = labelsOf(names);
  const told = pairs ? all : rows;
  const sections = sectionsOf(told, pairs ? 2 : widthOf(names) || widestOf(rows));
  // A name that is cut, or that no row has, is told once.
  const untold =
    isLongHeader(names) || rows.length === 0
      ? names
      : unusedLabelsOf(
          labels,
          rows.filter(row => !sections.has(row)).map(({ cells }) => cells),
        );
  if (header && untold.length > 0) yield { kind: 'entry', text: untold.join('\n'), place: placeOf(header) };
  let held: { place: string; labels: Set<string>; lines: string[]; length: number } | undefined;
  const takeHeld = (): Block[] => {
    const { lines = [], place = '' } = held ?? {};
    held = undefined;
    return lines.length === 0 ? [] : [{ kind: 'entry', text: lines.join('\n'), place }];
  };
  for (const row of told) {
    const level = sections.get(row);
    const own = pairs?.get(row);
    if (level !== undefined) {
      yield* takeHeld();
      yield { kind: 'heading', level: TITLE_LEVEL + level, text: filledOf(row.cells).join(' ') };
    } else if (own) {
      const lines = own.map(({ label, value }) => `${label}: ${value}`);
      const isNext = own.some(({ label }) => held?.labels.has(label)) || (held?.length ?? 0) > MAX_PAIRS;
      if (isNext) yield* takeHeld();
      held ??= { place: placeOf(row), labels: new Set(), lines: [], length: 0 };
      held.lines.push(...lines);
      held.length += lines.join('\n').length;
      for (const { label } of own) held.labels.add(label);
    } else {
      yield* takeHeld();
      yield { kind: 'entry', text: labelledRow(labels, row.cells), place: placeOf(row) };
    }
  }
  yield* takeHeld();
}

function widestOf(rows: readonly Row[]): number {
  return rows.reduce((most, { cells }) => Math.max(most, widthOf(cells)), 0);
}

/** A row of one cell is no header if others have several. */
export function headerPlaceOf(rows: readonly Row[]): number {
  const first = rows.slice(0, SAMPLE_ROWS).findIndex(({ cells }) => filledOf(cells).length > 1);
  return Math.max(first, 0);
}

function filledOf(cells: readonly string[]): string[] {
  return cells.map(cell => cell.trim()).filter(cell => cell !== '');
}
