import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import {
  type PageRange,
  readIndexedWords,
  type SearchHit,
  type SearchPage,
  searchFulltext,
  searchHybrid,
  searchPhones,
  searchSimilar,
} from '../../db/search/queries.ts';
import { type HostsScope, withHosts } from '../../db/with-hosts.ts';
import { Gate } from '../../platform/gate.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import { fieldFailure } from '../../queues/contract/failure.ts';
import {
  MAX_CONCURRENT_SEARCHES,
  searchDefaults,
  searchTypes,
} from '../../queues/contract/operations/search.ts';
import { readDigits } from '../../text/contact.ts';
import { cpfAndPhoneIn, MIN_PHONE_DIGITS } from '../domain/search/cpf-and-phone.ts';
import {
  highlightOf,
  likelyWordsIn,
  MAX_WORDS,
  normalizeWord,
  wordsIn,
} from '../domain/search/search-highlight.ts';
import type { Handler } from '../runtime/job.ts';

const {
  limit: DEFAULT_LIMIT,
  hybridLimit: DEFAULT_HYBRID_LIMIT,
  threshold: DEFAULT_THRESHOLD,
} = searchDefaults;

interface SearchRequest {
  readonly query: string | number;
  readonly limit?: number;
  readonly offset?: number;
}

type ResultPage = Awaited<ReturnType<typeof findPage>>;

export function makeFulltextSearch(db: Db): Handler<'searchFulltext'> {
  return async ({ caller, body }) => ({ code: 200, data: await readFulltextPage(db, caller.hostIds, body) });
}

export function makeHybridSearch(db: Db): Handler<'searchHybrid'> {
  return async ({ caller, body }) => ({ code: 200, data: await readHybridPage(db, caller.hostIds, body) });
}

export function makePhoneSearch(db: Db): Handler<'searchPhone'> {
  return async ({ caller, body }) => {
    const { phone, search_type: kind = 'exact', limit = DEFAULT_LIMIT, offset = 0 } = body;
    const digits = readDigits(String(phone));
    if (digits.length < MIN_PHONE_DIGITS)
      return fieldFailure('phone', 'min-digits', { limit: MIN_PHONE_DIGITS });
    const request = { query: String(phone), digits, kind };
    const data = await findPage(db, caller.hostIds, request, { limit, offset }, searchPhones);
    return { code: 200, data };
  };
}

function readFulltextPage(
  db: Db,
  hostIds: readonly string[],
  { query, limit = DEFAULT_LIMIT, offset = 0 }: SearchRequest,
) {
  return findPage(db, hostIds, cpfAndPhoneIn(query), { limit, offset }, searchFulltext);
}

function readHybridPage(
  db: Db,
  hostIds: readonly string[],
  { query, limit = DEFAULT_HYBRID_LIMIT, offset = 0 }: SearchRequest,
) {
  return findPage(db, hostIds, cpfAndPhoneIn(query), { limit, offset }, searchHybrid);
}

function readSimilarPage(
  db: Db,
  hostIds: readonly string[],
  {
    query,
    limit = DEFAULT_LIMIT,
    threshold = DEFAULT_THRESHOLD,
  }: SearchRequest & { readonly threshold?: number },
) {
  return findPage(db, hostIds, { query: String(query), threshold }, { limit, offset: 0 }, searchSimilar);
}

/** Runs one search in the scope of the caller's hosts and returns its page in the form of the API. */
async function findPage<Q extends { readonly query: string }>(
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
    const originals = hits.map(({ original }) => original);
    const highlights = await highlightMatches(scope, query, originals);
    const results = hits.map((hit, at) => resultOf(hit, highlights[at] ?? ''));
    const took_ms = tookMsSince(startedAt);
    return { query, limit, offset, total, total_is_estimate: isEstimate, took_ms, results };
  });
}

/** Returns the duration in milliseconds, to one decimal. */
function tookMsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}

function resultOf(hit: SearchHit, highlight: string) {
  return {
    origin_table: hit.originTable,
    origin_id: hit.originId,
    host_id: hit.hostId,
    score: hit.score,
    scores: { fts: hit.fts, content: hit.content, phone: hit.phone },
    matched_by: [...hit.matchedBy],
    title: hit.title,
    highlight,
    updated_at: new Date(hit.updatedAt).toISOString(),
  };
}

/** Returns an HTML snippet of each text, with the words that match the query in <mark>. */
async function highlightMatches(
  scope: HostsScope,
  query: string,
  originals: readonly string[],
): Promise<string[]> {
  const isFound = await makeWordMatcher(scope, query, originals);
  return runInSlices(highlightAll(originals, isFound));
}

/** Yields after each record, because searching long ones for words takes time. */
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
  // A misspelt word highlights words with the same beginning.
  const starts = queryWords.map(word => normalizeWord(word).slice(0, 4)).filter(start => start.length === 4);
  return (normalized: string) => normalized === digits || starts.some(start => normalized.startsWith(start));
}

function* findAllLikelyWords(
  originals: readonly string[],
  queryWords: readonly string[],
): Generator<void, string[]> {
  const likely = new Set<string>();
  for (const original of originals) {
    for (const word of likelyWordsIn([original], queryWords)) likely.add(word);
    if (likely.size >= MAX_WORDS) break;
    yield;
  }
  return [...likely].slice(0, MAX_WORDS);
}

type SearchType = (typeof searchTypes)[number];
type Result = ResultPage['results'][number];

/**
 * Runs two types at a time. A failed type is reported under `errors`; the search fails only when all types fail.
 */
export function makeUnifiedSearch(db: Db, log: Logger): Handler<'searchUnified'> {
  return async ({ caller, body, requestId }) => {
    const startedAt = performance.now();
    const { query, types = searchTypes, options = {} } = body;
    const { hostIds } = caller;
    const pages: Record<SearchType, () => Promise<ResultPage>> = {
      fts: () => readFulltextPage(db, hostIds, { query, ...options.fts }),
      hybrid: () => readHybridPage(db, hostIds, { query, ...options.hybrid }),
      similarity: () => readSimilarPage(db, hostIds, { query, ...options.similarity }),
    };
    // The results follow the order of the list, whichever search ends first.
    const requested = searchTypes.filter(type => types.includes(type));
    const results: Partial<Record<SearchType, ResultPage>> = {};
    const errors: Record<string, string> = {};
    const failures: unknown[] = [];
    const gate = new Gate({ maxTotal: MAX_CONCURRENT_SEARCHES, maxPerKey: MAX_CONCURRENT_SEARCHES });
    const ended = await Promise.allSettled(requested.map(type => gate.run({ key: '' }, pages[type])));
    for (const [at, end] of ended.entries()) {
      const type = requested[at] as SearchType;
      if (end.status === 'fulfilled') results[type] = end.value;
      else {
        const err: unknown = end.reason;
        log.warn({ err, requestId, type, event: 'search.type_failed' }, 'failed to run one type of a search');
        errors[type] = 'This type of search has failed';
        failures.push(err);
      }
    }
    const answered = Object.values(results);
    if (answered.length === 0) throw failures[0];
    const merged = mergeResults(answered);
    const took_ms = tookMsSince(startedAt);
    return { code: 200, data: { query: String(query), took_ms, results, merged, errors } };
  };
}

/** The order of `matched_by`. */
const WAYS = ['fts', 'trigram', 'phone'] as const;

/** Merges the results of several searches: each record once, with its fused score and its scores of every search. */
function mergeResults(pages: readonly ResultPage[]): Result[] {
  const keyOf = ({ host_id, origin_table, origin_id }: Result) =>
    [host_id, origin_table, origin_id].join(' ');
  const lists = pages.map(({ results }) => results);
  return mergeByRank(lists, keyOf).map(fuseResult).toSorted(byScore);
}

/** A search leaves 0 for a score that it does not compute, so the greatest is the computed one. */
function fuseResult({ found, score }: FusedItem<Result>): Result {
  const greatest = (name: keyof Result['scores']) => Math.max(...found.map(({ scores }) => scores[name]));
  return {
    ...found[0],
    score,
    scores: { fts: greatest('fts'), content: greatest('content'), phone: greatest('phone') },
    matched_by: WAYS.filter(way => found.some(({ matched_by }) => matched_by.includes(way))),
  };
}

function byScore(a: Result, b: Result): number {
  return b.score - a.score || inOrder(b.updated_at, a.updated_at) || inOrder(a.origin_id, b.origin_id);
}

function inOrder(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const SMOOTHING = 60;

/** One item of several lists: its entries, in the order of the lists, and the sum of its reciprocal ranks. */
interface FusedItem<T> {
  readonly found: readonly [T, ...T[]];
  readonly score: number;
}

/** Reciprocal rank fusion: items that rank high in many lists come first. Ties keep their order. */
function mergeByRank<T>(
  lists: readonly (readonly T[])[],
  keyOf: (item: T) => string,
): readonly FusedItem<T>[] {
  const merged = new Map<string, { readonly found: [T, ...T[]]; score: number }>();
  for (const list of lists) {
    for (const [rank, item] of list.entries()) {
      const known = merged.get(keyOf(item));
      const score = 1 / (SMOOTHING + rank + 1);
      if (known) {
        known.found.push(item);
        known.score += score;
      } else merged.set(keyOf(item), { found: [item], score });
    }
  }
  return [...merged.values()].toSorted((a, b) => b.score - a.score);
}
