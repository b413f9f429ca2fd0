import type { FieldError } from '../../../platform/field-error.ts';
import type { Block } from '../../domain/documents/block.ts';
import type { PassageFilter } from '../../domain/passage-filter.ts';
import type { DescribedSystem } from '../../domain/rest-tools/read-openapi.ts';
import type { ReadResult } from './parse-document.ts';

/*
 * A read document goes from its process to the worker in short parts, because a message is received in one step. Each block,
 * each row of a table, each address, each function of a description and each picture is a line of JSON; a part is a text of some lines, and may
 * end within one.
 */

type Line =
  | {
      readonly kind: 'text-head';
      readonly title?: string;
      readonly leads?: readonly string[];
      readonly filter?: PassageFilter;
      readonly hasFalseHead?: boolean;
      readonly struck?: number;
      readonly scanned?: readonly number[];
    }
  | { readonly kind: 'picture'; readonly png: string | null }
  | { readonly kind: 'sitemap-head' }
  | { readonly kind: 'description-errors'; readonly errors: FieldError[] }
  | ({ readonly kind: 'description-head' } & Omit<DescribedSystem, 'functions'>)
  | { readonly kind: 'function'; readonly made: DescribedSystem['functions'][number] }
  | Block
  | { readonly kind: 'row'; readonly cells: readonly string[] }
  | { readonly kind: 'page'; readonly address: string }
  | { readonly kind: 'sitemap'; readonly address: string };

/** UTF-16 units: 256 KiB at most. */
const PART_LENGTH = 131_072;
const PART_LINES = 1_000;

export function* partsOf(result: ReadResult): Generator<string> {
  let part = '';
  let lines = 0;
  for (const line of linesOf(result)) {
    part += `${JSON.stringify(line)}\n`;
    lines += 1;
    while (part.length >= PART_LENGTH || lines >= PART_LINES) {
      yield part.slice(0, PART_LENGTH);
      part = part.slice(PART_LENGTH);
      lines = 0;
    }
  }
  if (part !== '') yield part;
}

function* linesOf(result: ReadResult): Generator<Line> {
  if ('sitemap' in result) {
    yield { kind: 'sitemap-head' };
    for (const address of result.sitemap.pages) yield { kind: 'page', address };
    for (const address of result.sitemap.sitemaps) yield { kind: 'sitemap', address };
    return;
  }
  if ('description' in result) return yield* linesOfDescription(result.description);
  if ('png' in result) return yield { kind: 'picture', png: result.png };
  const { text, ...about } = result;
  const { blocks, ...head } = text;
  yield { kind: 'text-head', ...about, ...head };
  for (const block of blocks) {
    if (block.kind !== 'table') {
      yield block;
      continue;
    }
    yield { ...block, rows: [] };
    for (const cells of block.rows) yield { kind: 'row', cells };
  }
}

function* linesOfDescription(read: DescribedSystem | FieldError[]): Generator<Line> {
  if (Array.isArray(read)) return yield { kind: 'description-errors', errors: read };
  const { functions, ...head } = read;
  yield { kind: 'description-head', ...head };
  for (const made of functions) yield { kind: 'function', made };
}

interface ResultReader {
  add(part: string): void;
  /** Must be called when all parts are added. */
  result(): ReadResult;
}

export function makeResultReader(): ResultReader {
  const blocks: Block[] = [];
  const [pages, sitemaps]: [string[], string[]] = [[], []];
  const functions: DescribedSystem['functions'][number][] = [];
  let rows: (readonly string[])[] = [];
  let unfinished = '';
  let result: ReadResult = { text: { blocks } };
  const readLine = (line: Line): void => {
    if (line.kind === 'sitemap-head') result = { sitemap: { pages, sitemaps } };
    else if (line.kind === 'picture') result = { png: line.png };
    else if (line.kind === 'description-errors') result = { description: line.errors };
    else if (line.kind === 'description-head') {
      const { kind: _kind, ...head } = line;
      result = { description: { ...head, functions } };
    } else if (line.kind === 'function') functions.push(line.made);
    else if (line.kind === 'text-head') {
      const { kind: _kind, title, leads, ...head } = line;
      const about = { ...(title !== undefined && { title }), ...(leads && { leads }) };
      result = { text: { ...head, blocks }, ...about };
    } else if (line.kind === 'row') rows.push(line.cells);
    else if (line.kind === 'page') pages.push(line.address);
    else if (line.kind === 'sitemap') sitemaps.push(line.address);
    else if (line.kind === 'table') {
      rows = [];
      blocks.push({ ...line, rows });
    } else blocks.push(line);
  };
  return {
    add(part) {
      const lines = part.split('\n');
      const last = lines.pop() ?? '';
      for (const line of lines) {
        readLine(JSON.parse(unfinished + line));
        unfinished = '';
      }
      unfinished += last;
    },
    result: () => result,
  };
}
