import { foldText } from '../../../text/fold.ts';
import { declarationsIn } from './front-matter-declarations.ts';
import { frontMatterStartOf } from './front-matter-detection.ts';
import { hasInvisible, INVISIBLE, toVisibleLine } from './visible-line.ts';

/** The audience of a chunk: each key with the values of which a turn must have one, normalized by `normalizeTerm`. */
export type ChunkFilter = Readonly<Record<string, readonly string[]>>;

export interface FrontMatter {
  readonly filter: ChunkFilter;
  /** The content after the front-matter: it is searched and shown to the model. */
  readonly body: string;
}

export interface FrontMatterError {
  /** Line number in the content, from 1. */
  readonly line: number;
  readonly error: string;
}

const FENCE = '---';
const NOT_AT_HEAD =
  'this looks like front-matter, which must be at the beginning, its first and last lines --- alone';

/**
 * Parses the `key: value` lines between `---` at the head of a chunk; `a, b`, `[a, b]` and a list of lines below the
 * key are alternatives. Undefined without front-matter. Text that only looks like front-matter is an error: as plain
 * content it would be open to everybody.
 */
export function frontMatterOf(content: string): FrontMatter | FrontMatterError | undefined {
  const lines = content.split(/\r\n|\n|\r/);
  const head = lines.findIndex(line => toVisibleLine(line) !== '');
  const isFenced = toVisibleLine(lines[head] ?? '') === FENCE;
  const begin = isFenced ? head : frontMatterStartOf(lines);
  if (begin === undefined) return undefined;
  const invisible = lines.slice(0, head + 1).findIndex(hasInvisible);
  if (invisible >= 0) return errorAt(invisible, INVISIBLE);
  if (!isFenced) return errorAt(begin, NOT_AT_HEAD);
  const end = lines.findIndex((line, at) => at > head && toVisibleLine(line) === FENCE);
  if (end < 0) return errorAt(head, 'the front-matter that begins here has no closing ---');
  if (hasInvisible(lines[end] ?? '')) return errorAt(end, INVISIBLE);
  const read = declarationsIn(lines.slice(head + 1, end));
  if ('error' in read) return errorAt(head + 1 + read.at, read.error);
  if (read.filter.size === 0) return errorAt(head, 'the front-matter declares nothing');
  const below = lines.slice(end + 1);
  const body = below.join('\n');
  if (toVisibleLine(body) === '') return errorAt(end, 'there is no text after the front-matter');
  const more = frontMatterStartOf(below);
  if (more !== undefined) return errorAt(end + 1 + more, 'this looks like more front-matter');
  return { filter: normalizeFilter(read.filter), body: body.replace(/^\s*\n/, '') };
}

/**
 * Whether a paragraph anywhere in a text looks like front-matter, with the fence below it. A text that is cut into passages may
 * begin one at any paragraph, without the lines that stand above.
 */
export function hasFrontMatterWithin(text: string): boolean {
  const lines = text.split(/\r\n|\n|\r/);
  const isBlank = lines.map(line => toVisibleLine(line) === '');
  return lines.some((_, at) => {
    if (isBlank[at] || !(isBlank[at - 1] ?? true)) return false;
    const end = isBlank.indexOf(true, at);
    const paragraph = lines.slice(at, Math.min(end < 0 ? lines.length : end, at + PARAGRAPH_LINES));
    // Below some text, where less than at the head of a text looks like front-matter.
    return frontMatterStartOf(['x', '', ...paragraph], true) !== undefined;
  });
}

/** Whoever reads a passage looks at its beginning. */
const PARAGRAPH_LINES = 20;

export function isFrontMatterError(read: FrontMatter | FrontMatterError): read is FrontMatterError {
  return 'error' in read;
}

/** The form in which a filter's values are stored, and compared with those of a turn: without the marks of any script. */
export function normalizeTerm(text: string): string {
  return foldText(text, /\p{M}+/gu).trim();
}

function normalizeFilter(filter: ReadonlyMap<string, readonly string[]>): ChunkFilter {
  return Object.fromEntries(
    Array.from(filter, ([key, values]) => [key, [...new Set(values.map(normalizeTerm))].filter(Boolean)]),
  );
}

function errorAt(index: number, error: string): FrontMatterError {
  return { line: index + 1, error };
}
