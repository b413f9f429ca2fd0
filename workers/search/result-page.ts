import { setImmediate } from 'node:timers/promises';
import type { Db } from '../../db/connection.ts';
import {
  type PageRange,
  readIndexedWords,
  type SearchHit,
  type SearchPage,
} from '../../db/search/queries.ts';
import { type HostsScope, withHosts } from '../../db/with-hosts.ts';
import {
  findLikelyWords,
  highlightOf,
  MAX_WORDS,
  normalizeWord,
  wordsIn,
} from '../domain/search/search-highlight.ts';
import { readDigits } from '../domain/text/read-digits.ts';

/** Runs one search in the scope of the caller's hosts and returns its page in the form of the API. */
export async function findPage<Q extends { readonly query: string }>(
  db: Db,
  hostIds: readonly string[],
  request: Q,
  range: PageRange,
  search: (scope: HostsScope, request: Q, range: PageRange) => Promise<SearchPage>,
) {
  const startedAt = performance.now();
  const { query } = request;
  const { limit, offset } = range;
  return withHosts(db, hostIds, async scope => {
    const { total, isEstimate, hits } = await search(scope, request, range);
    const results = await resultsOf(scope, query, hits);
    const took_ms = tookMsSince(startedAt);
    return { query, limit, offset, total, total_is_estimate: isEstimate, took_ms, results };
  });
}

/** The duration in milliseconds, to one decimal. */
export function tookMsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}

async function resultsOf(scope: HostsScope, query: string, hits: readonly SearchHit[]) {
  const isFound = await makeWordMatcher(
    scope,
    query,
    hits.map(({ original }) => original),
  );
  const results = [];
  for (const hit of hits) {
    results.push(resultOf(hit, isFound));
    await yieldToEventLoop();
  }
  return results;
}

/** Searching long records for words takes time: yields to other work of the process in between. */
const yieldToEventLoop = setImmediate;

function resultOf(hit: SearchHit, isFound: (normalized: string) => boolean) {
  return {
    origin_table: hit.originTable,
    origin_id: hit.originId,
    host_id: hit.hostId,
    score: hit.score,
    scores: { fts: hit.fts, content: hit.content, phone: hit.phone },
    matched_by: [...hit.matchedBy],
    title: hit.title,
    highlight: highlightOf(hit.original, isFound),
    updated_at: new Date(hit.updatedAt).toISOString(),
  };
}

async function likelyWordsOf(originals: readonly string[], queryWords: readonly string[]): Promise<string[]> {
  const likely = new Set<string>();
  for (const original of originals) {
    for (const word of findLikelyWords([original], queryWords)) likely.add(word);
    if (likely.size >= MAX_WORDS) break;
    await yieldToEventLoop();
  }
  return [...likely].slice(0, MAX_WORDS);
}

/** A word is highlighted when the index reduces it to a word of the query; only the index knows its stemming. */
async function makeWordMatcher(scope: HostsScope, query: string, originals: readonly string[]) {
  if (originals.length === 0) return () => false;
  const queryWords = wordsIn(query);
  const likely = await likelyWordsOf(originals, queryWords);
  const words = await readIndexedWords(scope, [query, ...likely]);
  const queryStems = new Set(words.get(query));
  const digits = readDigits(query);
  const found = new Set(likely.filter(word => words.get(word)?.some(each => queryStems.has(each))));
  if (found.size > 0) return (normalized: string) => found.has(normalized) || normalized === digits;
  // Misspelt words: those with the same beginning.
  const starts = queryWords.map(word => normalizeWord(word).slice(0, 4)).filter(start => start.length === 4);
  return (normalized: string) => normalized === digits || starts.some(start => normalized.startsWith(start));
}
