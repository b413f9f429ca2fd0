import { splitText } from '../../../text/pieces.ts';
import { sectionsOf } from './sheet-sections.ts';

interface Table {
  readonly caption?: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A longer name of a column or a table counts as text: it is told once, and repeated only cut. */
const MAX_LABEL = 200;

/**
 * Writes the table in Markdown; a longer one in parts of at most `limit` units, each with the header. Yields after each row,
 * undefined if it ended no part.
 */
export function* tableTextsOf(
  { caption = '', header, rows }: Table,
  limit: number,
): Generator<string | undefined> {
  const labels = labelsOf(header);
  if (isLongHeader(header)) yield* splitText(lineOf(header), limit);
  const [name = ''] = labelsOf([caption]);
  if (name !== caption) yield* splitText(caption, limit);
  const title = name === '' ? '' : `${name}\n\n`;
  const head = `${title}${lineOf(labels)}\n${lineOf(labels.map(() => '---'))}`;
  const told = rows.map((cells, at) => ({ number: at, cells, isApart: cells.length === 1 }));
  const sections = sectionsOf(told, labels.length);
  let open: { readonly level: number; readonly line: string }[] = [];
  let part = head;
  for (const row of told) {
    const line = lineOf(row.cells);
    const level = sections.get(row);
    if (level !== undefined) open = open.filter(above => above.level < level);
    if (part !== head && part.length + 1 + line.length > limit) {
      yield part;
      // The rows of a section tell it in each part.
      const begun = [head, ...open.map(section => section.line)].join('\n');
      part = begun.length + 1 + line.length > limit ? head : begun;
    }
    if (level !== undefined) open.push({ level, line });
    if (head.length + 1 + line.length > limit)
      yield* splitText(title + labelledRow(labels, row.cells), limit);
    else part += `\n${line}`;
    yield undefined;
  }
  // Labels without a value appear in no labelled row, so they are told here.
  if (part !== head || unusedLabelsOf(labels, rows).length > 0) yield* splitText(part, limit);
  else if (rows.length === 0) yield* splitText(name, limit);
}

/** Works in one pass: column by column, 100,000 labels of which the last of 100,000 rows has the values took 20 s. */
export function unusedLabelsOf(labels: readonly string[], rows: Table['rows']): string[] {
  const isUsed: boolean[] = [];
  for (const row of rows) for (const [at, value] of row.entries()) if (value.trim() !== '') isUsed[at] = true;
  const used = new Set(['', ...labels.filter((_, at) => isUsed[at])]);
  return [...new Set(labels)].filter(label => !used.has(label));
}

export function isLongHeader(header: readonly string[]): boolean {
  return header.some(cell => cell.trim().length > MAX_LABEL);
}

export function labelsOf(header: readonly string[]): string[] {
  return header.map(cell => {
    const label = cell.trim();
    // A cut must not leave half a character.
    return label.length > MAX_LABEL ? label.slice(0, MAX_LABEL).toWellFormed() : label;
  });
}

/** Joins each value with the label of its column, so that the row makes sense alone. */
export function labelledRow(labels: readonly string[], row: readonly string[]): string {
  return row
    .flatMap((value, at) => {
      const text = value.trim();
      if (text === '') return [];
      return [labels[at] ? `${labels[at]}: ${text}` : text];
    })
    .join('\n');
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.map(cellText).join(' | ')} |`;
}

function cellText(cell: string): string {
  return cell.replaceAll('|', '\\|').split(/\s+/).join(' ').trim();
}
