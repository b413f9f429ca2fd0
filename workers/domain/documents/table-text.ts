import { splitText } from './split-text.ts';

interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The table in Markdown; in parts of at most `limit` units where it is longer, each with the header. */
export function tableTextsOf({ header, rows }: Table, limit: number): string[] {
  const head = `${lineOf(header)}\n${lineOf(header.map(() => '---'))}`;
  const parts: string[] = [];
  let part = head;
  for (const row of rows) {
    const line = lineOf(row);
    if (part !== head && part.length + 1 + line.length > limit) {
      parts.push(part);
      part = head;
    }
    if (head.length + 1 + line.length > limit) parts.push(...splitText(labelledRow(header, row), limit));
    else part += `\n${line}`;
  }
  if (part !== head || parts.length === 0) parts.push(...splitText(part, limit));
  return parts;
}

/** Each value with the name of its column: a row that says for itself what it means. */
export function labelledRow(header: readonly string[], row: readonly string[]): string {
  return row
    .flatMap((value, at) => {
      if (value.trim() === '') return [];
      const label = header[at]?.trim();
      return [label ? `${label}: ${value.trim()}` : value.trim()];
    })
    .join('\n');
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.map(cellText).join(' | ')} |`;
}

function cellText(cell: string): string {
  return cell.replaceAll('|', '\\|').split(/\s+/).join(' ').trim();
}
