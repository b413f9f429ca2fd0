/** A piece of text on a page of a PDF, in the order of its content. */
export interface PdfItem {
  readonly text: string;
  /** In points from the lower left corner. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** The size of the font. */
  readonly size: number;
}

/** Texts at one height, in cells where wide gaps are between them. */
export interface PdfLine {
  readonly cells: readonly string[];
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

/** The gap between words, and that between columns, as parts of the font size. */
const WORD_GAP = 0.15;
const COLUMN_GAP = 1.5;
const SAME_HEIGHT = 0.5;

/** Joins the items of a page to lines. Lines stay in the order of the content, which follows columns of text. */
export function pdfLinesOf(items: readonly PdfItem[]): PdfLine[] {
  const lines: { cells: string[]; x: number; y: number; size: number; end: number }[] = [];
  for (const { text, x, y, width, size } of items) {
    const line = lines.at(-1);
    const isSame = line && Math.abs(line.y - y) <= SAME_HEIGHT * Math.max(line.size, size);
    const gap = isSame ? x - line.end : 0;
    if (!isSame || gap < -SAME_HEIGHT * size) {
      if (text.trim() !== '') lines.push({ cells: [text], x, y, size, end: x + width });
      continue;
    }
    if (text.trim() === '') continue;
    line.end = x + width;
    line.size = Math.max(line.size, size);
    const last = line.cells.length - 1;
    if (gap > COLUMN_GAP * size) line.cells.push(text);
    else line.cells[last] += (gap > WORD_GAP * size ? ' ' : '') + text;
  }
  return lines.map(({ cells, x, y, size }) => ({ cells: cells.map(clean), x, y, size }));
}

function clean(text: string): string {
  return text.split(/\s+/).join(' ').trim();
}
