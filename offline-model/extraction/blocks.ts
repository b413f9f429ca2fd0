/**
 * Reads Markdown line by line into headings, paragraphs, list items and table rows. Extraction needs no document
 * tree, and one pass over the lines is linear for any text.
 */
export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; lines: string[] }
  | { kind: 'item'; indent: number; marker: string; text: string }
  | { kind: 'row'; text: string };

const listItem = /^(\s*)([-*+•–]|\d{1,3}[.)]|[a-zA-Z]\)|[IVX]{1,5} ?[-–])\s+(\S.*)$/;
/** A line in bold alone is a heading below all levels of Markdown. */
const BOLD_HEADING_LEVEL = 7;
const boldLine = /^(?:\*\*|__)([^*_]{2,100})(?:\*\*|__):?$/;
const isRule = (line: string) => line.length > 2 && /^[-*_=\s]+$/.test(line);
const isTableDelimiter = (line: string) =>
  line.includes('-') && line.includes('|') && /^[|:\-\s]+$/.test(line);
const isTableLine = (line: string) => line.startsWith('|') && line.length > 1;

function splitCells(line: string): string[] {
  return line
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split('|')
    .map(cell => cell.trim());
}

/** Each cell with its column name, without which a row makes no sense. */
function formatRow(header: readonly string[], cells: readonly string[]): string {
  return cells
    .map((cell, column) => (cell && header[column] ? `${header[column]}: ${cell}` : cell))
    .filter(Boolean)
    .join('; ');
}

class BlockReader {
  readonly blocks: Block[] = [];
  private paragraph: string[] = [];
  private header: string[] | undefined;
  private isItemOpen = false;

  read(raw: string): void {
    const line = raw.replace(/^(?:\s*>)+ ?/, '').trimEnd();
    const text = line.trim();
    if (!text || text.startsWith('```') || isRule(text)) return this.endBlock();
    if (isTableLine(text)) return this.readTableLine(text);
    this.header = undefined;
    const heading = /^(#{1,6})\s+(\S.*)$/.exec(text);
    if (heading) return this.addHeading(heading[1]?.length ?? 1, heading[2]?.replace(/\s#+$/, '') ?? '');
    const bold = boldLine.exec(text);
    if (bold) return this.addHeading(BOLD_HEADING_LEVEL, bold[1] ?? '');
    const item = listItem.exec(line);
    if (item) return this.addItem(item[1]?.length ?? 0, item[2] ?? '-', item[3] ?? '');
    const last = this.blocks.at(-1);
    if (this.isItemOpen && last?.kind === 'item' && /^\s{2,}/.test(line)) last.text += ` ${text}`;
    else {
      this.isItemOpen = false;
      this.paragraph.push(text);
    }
  }

  endBlock(): void {
    if (this.paragraph.length > 0) this.blocks.push({ kind: 'paragraph', lines: this.paragraph });
    this.paragraph = [];
    this.header = undefined;
    this.isItemOpen = false;
  }

  private readTableLine(line: string): void {
    if (isTableDelimiter(line)) return;
    if (this.header) this.blocks.push({ kind: 'row', text: formatRow(this.header, splitCells(line)) });
    else {
      this.endBlock();
      this.header = splitCells(line);
    }
  }

  private addHeading(level: number, text: string): void {
    this.endBlock();
    this.blocks.push({ kind: 'heading', level, text: text.trim() });
  }

  private addItem(indent: number, marker: string, text: string): void {
    this.endBlock();
    this.blocks.push({ kind: 'item', indent, marker, text });
    this.isItemOpen = true;
  }
}

export function parseBlocks(markdown: string): Block[] {
  const reader = new BlockReader();
  for (const line of markdown.split(/\r\n|\r|\n/)) reader.read(line);
  reader.endBlock();
  return reader.blocks;
}
