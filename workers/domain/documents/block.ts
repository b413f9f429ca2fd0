import type { PassageFilter } from '../passage-filter.ts';

/** A part of a document in the order of reading, whatever its format. */
export type Block =
  /**
   * Without a text it only ends the sections of its level. Level 0 begins a document inside of a document, such as a page of a
   * web site.
   */
  | { readonly kind: 'heading'; readonly level: number; readonly text: string; readonly place?: string }
  | { readonly kind: 'text'; readonly text: string; readonly place?: string }
  | {
      readonly kind: 'table';
      readonly caption?: string;
      readonly header: readonly string[];
      readonly rows: readonly (readonly string[])[];
      readonly place?: string;
    }
  /** A record that stands for itself: a row of a CSV file. */
  | { readonly kind: 'entry'; readonly text: string; readonly place?: string };

export const RULE = '---';

export interface DocumentText {
  /** Read from the head of a source that is kept as written. */
  readonly filter?: PassageFilter;
  /** Set if the text begins like a filter: a filtered dataset must not take it for text. */
  readonly hasFalseHead?: boolean;
  /** The number of texts left out because they were struck through. */
  readonly struck?: number;
  /** Numbers of the pages of a PDF whose text is in pictures, in order. */
  readonly scanned?: readonly number[];
  readonly blocks: readonly Block[];
}

export const MAX_CELLS = 1_000_000;
/** UTF-16 units, including labels. */
export const MAX_TEXT = 32 * 1_048_576;

/** Limits what a document of `length` characters may become: its texts with labels, its passages with their paths. */
export function maxCharactersOf(length: number): number {
  return 4 * length + 8 * 1_048_576;
}

/** Returns characters; a cell counts even if it is empty. */
export function lengthOf(block: Block): number {
  if (block.kind !== 'table') return block.text.length;
  const { caption = '', header, rows } = block;
  return rows.reduce((sum, row) => sum + lengthOfRow(row), caption.length + lengthOfRow(header));
}

function lengthOfRow(row: readonly string[]): number {
  return row.reduce((sum, cell) => sum + cell.length + 1, 1);
}
