import { hasInvisible, INVISIBLE } from './visible-line.ts';

/*
 * The values of a key, each an alternative: `a, b`, with YAML quotes or without, or `[a, b]`. Other YAML syntax is
 * rejected instead of read as text: it would be compared literally.
 */

export type ValuesResult = { readonly values: readonly string[] } | { readonly error: string };

/** Up to the next comma; commas within quotes are text. */
const item = /\s*("(?:[^"\\]|\\.)*"\s*|'(?:[^']|'')*'\s*|[^,"'\s][^,]*)?(?:,|$)/gy;
const needsQuotes = /^[[\]{}"'`&*!|>%@\u00ab\u00bb\u2018-\u201f\u2039\u203a]|\s#/;
const NEEDS_QUOTES = 'this value needs quotes: "…" or \'…\'';

export function valuesIn(text: string): ValuesResult {
  const value = text.trim();
  if (!value.startsWith('[')) return valuesOf(value);
  if (!value.endsWith(']')) return { error: 'this list has no closing ] on its line' };
  const within = value.slice(1, -1);
  return /[[\]{}]/.test(withoutQuoted(within))
    ? { error: 'a list may only hold plain values' }
    : valuesOf(within);
}

/** One value, on a line of its own below its key. */
export function valueIn(text: string): ValuesResult {
  const read = valuesIn(text);
  if ('error' in read || (read.values.length < 2 && !/^\[|,$/.test(text.trim()))) return read;
  return { error: 'each line of a list has one value; a value with a comma needs quotes' };
}

function valuesOf(text: string): ValuesResult {
  const read = itemsOf(text)?.map(scalarOf);
  const values = read?.filter(value => value !== undefined) ?? [];
  if (values.length !== read?.length) return { error: NEEDS_QUOTES };
  // An escape within quotes may produce an invisible character.
  return values.some(hasInvisible) ? { error: INVISIBLE } : { values: values.filter(value => value.trim()) };
}

/** Undefined where something follows a closing quote, or a quote is never closed. */
function itemsOf(text: string): string[] | undefined {
  const found = [...text.matchAll(item)];
  const length = found.reduce((sum, [whole]) => sum + whole.length, 0);
  return length < text.length ? undefined : found.map(([, value = '']) => value.trim());
}

function withoutQuoted(text: string): string {
  return (itemsOf(text) ?? []).filter(found => !/^["']/.test(found)).join();
}

/** The scalar; '' for null, undefined for unsupported syntax. */
function scalarOf(value: string): string | undefined {
  if (/^'.*'$/.test(value) && value.length > 1) return value.slice(1, -1).replaceAll("''", "'");
  if (/^".*"$/.test(value) && value.length > 1) return unescapeQuoted(value);
  if (value === '~' || value.toLowerCase() === 'null') return '';
  return needsQuotes.test(value) ? undefined : value;
}

function unescapeQuoted(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted.replaceAll('\t', String.raw`\t`)) as string;
  } catch {
    return undefined;
  }
}
