import { readIndexedWords } from '../../db/search/queries.ts';
import type { HostsScope } from '../../db/with-hosts.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import { readDigits } from '../../text/contact.ts';
import {
  findLikelyWords,
  highlightOf,
  MAX_WORDS,
  normalizeWord,
  wordsIn,
} from '../domain/search/search-highlight.ts';

/** An HTML snippet of each text, with the words that match the query in <mark>. */
export async function highlightMatches(
  scope: HostsScope,
  query: string,
  originals: readonly string[],
): Promise<string[]> {
  const isFound = await makeWordMatcher(scope, query, originals);
  return runInSlices(highlightAll(originals, isFound));
}

/** Yields after each record: to search long ones for words takes time. */
function* highlightAll(
  originals: readonly string[],
  isFound: (normalized: string) => boolean,
): Generator<void, string[]> {
  const highlights: string[] = [];
  for (const original of originals) {
    highlights.push(highlightOf(original, isFound));
    yield;
  }
  return highlights;
}

/** A word is highlighted when the index reduces it to a word of the query; only the index knows its stemming. */
async function makeWordMatcher(scope: HostsScope, query: string, originals: readonly string[]) {
  if (originals.length === 0) return () => false;
  const queryWords = wordsIn(query);
  const likely = await runInSlices(findAllLikelyWords(originals, queryWords));
  const words = await readIndexedWords(scope, [query, ...likely]);
  const queryStems = new Set(words.get(query));
  const digits = readDigits(query);
  const found = new Set(likely.filter(word => words.get(word)?.some(each => queryStems.has(each))));
  if (found.size > 0) return (normalized: string) => found.has(normalized) || normalized === digits;
  // Misspelt words: those with the same beginning.
  const starts = queryWords.map(word => normalizeWord(word).slice(0, 4)).filter(start => start.length === 4);
  return (normalized: string) => normalized === digits || starts.some(start => normalized.startsWith(start));
}

function* findAllLikelyWords(
  originals: readonly string[],
  queryWords: readonly string[],
): Generator<void, string[]> {
  const likely = new Set<string>();
  for (const original of originals) {
    for (const word of findLikelyWords([original], queryWords)) likely.add(word);
    if (likely.size >= MAX_WORDS) break;
    yield;
  }
  return [...likely].slice(0, MAX_WORDS);
}
