/** For whom a chunk is: each key with the values of which a turn must have one, folded by `foldedTerm`. */
export type ChunkFilter = Readonly<Record<string, readonly string[]>>;

export interface FrontMatter {
  readonly filter: ChunkFilter;
  /** The content after it: what is searched, and all that a model may see. */
  readonly body: string;
}

export interface FrontMatterFault {
  /** Of the content, counted from 1. */
  readonly line: number;
  readonly fault: string;
}

const fence = /^---$/;
/** Of any number, and with the dashes that editors make of hyphens. */
const likeFence = /^[-\u2010-\u2015\u2212]{2,}$/;
/** Blanks, and what nobody sees. */
const unseen = /^[\s\u200b-\u200d\u2060\ufeff]+|[\s\u200b-\u200d\u2060\ufeff]+$/g;
const declaration = /^([\p{L}\p{N}_][\p{L}\p{N}_.-]*)\s*:(.*)$/u;

/**
 * The `key: value` lines between `---` at the head of a chunk; `a, b` are alternatives. Undefined where there is
 * none. What only looks like one is a fault, never a chunk without: that would be open to everybody.
 */
export function frontMatterOf(content: string): FrontMatter | FrontMatterFault | undefined {
  const lines = content.split(/\r\n|\n|\r/);
  const seen = lines.map(line => line.replaceAll(unseen, ''));
  const head = seen.findIndex(line => line !== '');
  const first = seen[head] ?? '';
  if (!likeFence.test(first)) return undefined;
  if (!fence.test(first)) return { line: head + 1, fault: 'front-matter begins with --- alone' };
  const end = seen.findIndex((line, at) => at > head && fence.test(line));
  if (end < 0) return { line: head + 1, fault: 'the front-matter that begins here has no closing ---' };
  const filter = new Map<string, string[]>();
  for (const [index, line] of seen.slice(head + 1, end).entries()) {
    const fault = declare(filter, line);
    if (fault) return { line: head + index + 2, fault };
  }
  if (filter.size === 0) return { line: head + 1, fault: 'the front-matter declares nothing' };
  const body = lines.slice(end + 1).join('\n');
  if (body.trim() === '') return { line: end + 1, fault: 'there is no text after the front-matter' };
  return { filter: Object.fromEntries(filter), body: body.replace(/^\s*\n/, '') };
}

export function isFault(read: FrontMatter | FrontMatterFault): read is FrontMatterFault {
  return 'fault' in read;
}

/** The form in which a filter's values and those of a turn are compared. */
export function foldedTerm(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
}

function declare(filter: Map<string, string[]>, line: string): string | undefined {
  if (line === '') return undefined;
  const [, key, value] = declaration.exec(line) ?? [];
  if (key === undefined || value === undefined) return 'this is not of the form key: value';
  if (filter.has(key)) return 'this key is declared a second time';
  const alternatives = value.split(',').map(foldedTerm).filter(Boolean);
  if (alternatives.length === 0) return 'this key has no value';
  filter.set(key, [...new Set(alternatives)]);
  return undefined;
}
