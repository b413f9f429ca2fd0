import type { JsonObject } from '../../../platform/json-object.ts';
import { isLongerThan } from '../../../text/lines.ts';
import { normalizeTerm } from '../passage-filter.ts';

export interface PromptFacts {
  readonly text: string;
  /** Keys whose values are missing or truncated in the text. */
  readonly leftOut: readonly string[];
}

export const MAX_FACTS = 4_000;
/** Line separators that JSON does not escape. */
const lineEnd = /[\u0085\u2028\u2029]/g;
const MAX_SEARCHED_LENGTH = 40_000;
const MAX_KEY_WORDS = 4;
const MAX_KEY_LENGTH = 200;

/** Writes JSON on one line. If it is too long, named keys come first, then the shortest values. */
export function promptFactsOf(data: JsonObject, isNamed: (key: string) => boolean): PromptFacts {
  const text = JSON.stringify(data).replaceAll(lineEnd, ' ');
  if (!isLongerThan(MAX_FACTS, text)) return { text: text === '{}' ? '' : text, leftOut: [] };
  const entries = Object.entries(data).map(([key, value]) => ({
    key,
    isNamed: isNamed(key),
    text: `${JSON.stringify(key)}:${JSON.stringify(value)}`.replaceAll(lineEnd, ' '),
  }));
  entries.sort(
    (one, other) => Number(other.isNamed) - Number(one.isNamed) || one.text.length - other.text.length,
  );
  const cut = firstCharacters(`{${entries.map(entry => entry.text).join(',')}}`);
  let end = 0;
  // A brace or a comma precedes each entry.
  const leftOut = entries.filter(entry => (end += 1 + entry.text.length) > cut.length);
  return { text: cut, leftOut: leftOut.map(({ key }) => key) };
}

/** Returns whether one of the texts contains the words of a key, in any spelling: `nomeDoCurso`, `nome_do_curso`. */
export function mentionsIn(texts: readonly string[]): (key: string) => boolean {
  let wordRuns: ReadonlySet<string> | undefined;
  return key => {
    // The words are computed on first use: short data never need them.
    wordRuns ??= wordRunsOf(texts.join('\n').slice(0, MAX_SEARCHED_LENGTH));
    return key.length <= MAX_KEY_LENGTH && wordRuns.has(keyWordsOf(key).join(' '));
  };
}

function wordRunsOf(text: string): Set<string> {
  const words = keyWordsOf(text);
  const runs = Array.from({ length: MAX_KEY_WORDS }, (_, more) =>
    words.map((_word, at) => words.slice(at, at + more + 1).join(' ')),
  );
  return new Set(runs.flat());
}

/** Returns the words of a key or a text, in any spelling of keys: `nomeDoCurso` has three. */
function keyWordsOf(text: string): string[] {
  const apart = text.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ');
  return normalizeTerm(apart).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Counts code points and splits none. */
function firstCharacters(text: string): string {
  return Array.from(text.slice(0, 2 * MAX_FACTS + 1))
    .slice(0, MAX_FACTS)
    .join('')
    .toWellFormed();
}
