import { type CandidateChunk, findCandidates, findKnownStems, type ReadableBy } from '../../db/chunks.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import type { FilterTerms } from '../domain/passage-filter.ts';
import { asksForNumber, listAskedWords } from '../domain/retrieval/asked-words.ts';
import { type RankedQuery, rankPassages } from '../domain/retrieval/rank-passages.ts';
import { fullMatchOf, searchPlanOf, termsOf } from '../domain/retrieval/search-plan.ts';

export interface ChunkSearch extends ReadableBy {
  readonly query: string;
  /** What the same person asked before, the newest last, where the query alone does not tell what it is about. */
  readonly earlier?: readonly string[];
  /** What the turn gives filters to go by; 'unfiltered' is for those who tend the knowledge. */
  readonly given: FilterTerms | 'unfiltered';
  readonly limit: number;
}

export interface FoundChunk extends CandidateChunk {
  readonly score: number;
  /** What the score is made of, where meaning was compared too. */
  readonly scores?: { readonly words: number; readonly meaning: number };
}

/** All that was found by words, best first, and what a passage with every word would have scored. */
export interface FoundByWords {
  readonly chunks: readonly FoundChunk[];
  readonly fullMatch: number;
}

/** So many are ranked to the letter; the right one is among them for 98 questions of a hundred. */
const MOST_CANDIDATES = 80;

/** What the avatar may read and what best fits the query, best first. */
export async function searchChunks(scope: HostScope, search: ChunkSearch): Promise<FoundChunk[]> {
  return (await searchByWords(scope, search)).chunks.slice(0, search.limit);
}

/** The same, and whatever else was looked at. */
export async function searchByWords(scope: HostScope, search: ChunkSearch): Promise<FoundByWords> {
  const { query, earlier = [], given, limit, ...readable } = search;
  const asked = listAskedWords(query, earlier);
  if (asked.length === 0 || limit < 1) return { chunks: [], fullMatch: 0 };
  const words = asked.map(({ word }) => word);
  const said = asked.filter(({ isSaid }) => isSaid).length;
  const known = await findKnownStems(scope, readable, words, said);
  if (known.length === 0) return { chunks: [], fullMatch: 0 };
  const plan = searchPlanOf(known, asked);
  const candidates = await findCandidates(scope, {
    ...readable,
    ...plan,
    given,
    limit: Math.max(limit, MOST_CANDIDATES),
  });
  const rankedQuery = { terms: termsOf(known, asked), asksForNumber: asksForNumber(query) };
  return { chunks: ranked(candidates, rankedQuery), fullMatch: fullMatchOf(known, asked) };
}

function ranked(candidates: readonly CandidateChunk[], query: RankedQuery): FoundChunk[] {
  const scores = rankPassages(
    query,
    candidates.map(({ body }) => body),
  );
  return bestFirst(candidates.map((chunk, at) => ({ ...chunk, score: scores[at] ?? 0 })));
}

export function bestFirst(chunks: readonly FoundChunk[]): FoundChunk[] {
  return chunks.toSorted((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
}
