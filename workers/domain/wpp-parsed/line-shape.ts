import { CHAR, isDigit } from '../../../text/char-kind.ts';
import { runEnd } from './code-fence.ts';

/** Indent in columns; tab stops are four columns apart. */
export function indentOf(line: string): number {
  let column = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === ' ') column++;
    else if (line[at] === '\t') column += 4 - (column % 4);
    else break;
  }
  return column;
}

const SHAPE_STARTS = new Set('#>-*+=_`~|:[0123456789');

/** A fast check: any other line is plain text. */
export function mayHaveShape(body: string): boolean {
  return SHAPE_STARTS.has(body.charAt(0));
}

export interface QuotedLine {
  depth: number;
  rest: string;
}

/** Splits off at most `most` quote marks: inside a fence, an additional `>` is code. */
export function splitQuoteMarks(line: string, most: number): QuotedLine {
  let depth = 0;
  let from = 0;
  while (depth < most) {
    let at = from;
    while (line[at] === ' ' || line[at] === '\t') at++;
    if (line.charCodeAt(at) !== CHAR.greater) break;
    from = line[at + 1] === ' ' ? at + 2 : at + 1;
    depth++;
  }
  return depth === 0 ? { depth, rest: line } : { depth, rest: line.slice(from) };
}

export interface ListMarker {
  /** The mark in the output: `-`, or the number with its delimiter. */
  mark: string;
  number: number | undefined;
  content: string;
}

const MAX_NUMBER_LENGTH = 3;

/** Numbers have three digits at most: a year at the start of a line is no list. */
export function listMarkerOf(body: string): ListMarker | undefined {
  let end = 0;
  while (end <= MAX_NUMBER_LENGTH && isDigit(body.charCodeAt(end))) end++;
  if (end > MAX_NUMBER_LENGTH) return undefined;
  const sign = body[end] ?? '';
  if (sign === '' || !(end > 0 ? '.)' : '-*+').includes(sign)) return undefined;
  const next = body[end + 1];
  if (next !== undefined && next !== ' ' && next !== '\t') return undefined;
  const mark = end > 0 ? body.slice(0, end + 1) : '-';
  return {
    mark,
    number: end > 0 ? Number(body.slice(0, end)) : undefined,
    content: body.slice(end + 2).trim(),
  };
}

/**
 * Returns the text of a heading, without its marks; undefined for any other line. Small models leave out the blank: with two signs, or
 * before bold, that is no hashtag.
 */
export function headingOf(body: string): string | undefined {
  const level = runEnd(body, 0, '#'.charCodeAt(0));
  if (level === 0 || level > 6) return undefined;
  const isHashtag = level === 1 && !/^[\s*]$/.test(body.charAt(1) || ' ');
  if (isHashtag) return undefined;
  let end = body.length;
  while (end > level && body[end - 1] === '#') end--;
  const isClosed = end === level || ' \t'.includes(body.charAt(end - 1));
  return body.slice(level, isClosed ? end : body.length).trim();
}

/** Writes the box of a task as a sign, because WhatsApp has none. */
export function withBoxSign(content: string): string {
  const [box, sign = ''] = /^\[([ xX✓✔])\]\s/.exec(content) ?? [];
  return box === undefined ? content : `${sign === ' ' ? '☐' : '☑'} ${content.slice(box.length)}`;
}

/** Matches three or more `-`, `*` or `_`, with spaces between them allowed. */
export function isRule(body: string): boolean {
  const sign = body[0] ?? '';
  if (!'-*_'.includes(sign)) return false;
  let count = 0;
  for (const char of body) {
    if (char === sign) count++;
    else if (char !== ' ' && char !== '\t') return false;
  }
  return count >= 3;
}

/** Matches a line of only `=` or `-`, which turns the line above into a heading. */
export function isUnderline(body: string): boolean {
  const least = body[0] === '=' ? 2 : 3;
  return (
    (body[0] === '=' || body[0] === '-') &&
    body.length >= least &&
    runEnd(body, 0, body.charCodeAt(0)) === body.length
  );
}

/** The open lists, by the columns of their markers, outermost first. */
export class ListLevels {
  readonly #columns: number[] = [];

  get isOpen(): boolean {
    return this.#columns.length > 0;
  }

  close(): void {
    this.#columns.length = 0;
  }

  /**
   * Returns the indent of an item in the output. Models indent by two, three or four columns: two more than the marker above
   * start a new level.
   */
  marginAt(column: number): string {
    while ((this.#columns.at(-1) ?? 0) > column) this.#columns.pop();
    const last = this.#columns.at(-1);
    if (last === undefined || column >= last + 2) this.#columns.push(column);
    return '  '.repeat(this.#columns.length - 1);
  }
}

/** The separator between a table's head and its rows. */
export function isTableRule(body: string): boolean {
  let hasDash = false;
  for (const char of body) {
    if (char === '-') hasDash = true;
    else if (char !== '|' && char !== ':' && char !== ' ' && char !== '\t') return false;
  }
  return hasDash && body.includes('|');
}

/** Returns the cells between bars; an escaped bar belongs to its cell. */
export function splitTableCells(row: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let from = row[0] === '|' ? 1 : 0;
  for (let at = from; at <= row.length; at++) {
    const isEscaped = row[at] === '\\' && row[at + 1] === '|';
    if (isEscaped) {
      cell += row.slice(from, at);
      from = ++at;
    } else if (at === row.length || row[at] === '|') {
      cells.push((cell + row.slice(from, at)).trim());
      cell = '';
      from = at + 1;
    }
  }
  if (cells.at(-1) === '') cells.pop();
  return cells;
}
