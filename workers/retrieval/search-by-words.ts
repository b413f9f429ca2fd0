import {
  type CandidateChunk,
  findCandidates,
  findKnownStems,
  type KnowledgeScope,
} from '../../db/knowledge/chunk-search.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import type { FilterTerms } from '../domain/front-matter/passage-filter.ts';
import { askedKindOf } from '../domain/retrieval/asked-kind.ts';
import { countedNounOf, queryWordsOf } from '../domain/retrieval/query-words.ts';
import { type RankedQuery, rankPassages } from '../domain/retrieval/rank-passages.ts';
import { fullMatchOf, searchPlanOf, termsOf } from '../domain/retrieval/search-plan.ts';

export interface ChunkSearch extends KnowledgeScope {
  readonly query: string;
  /** Earlier questions of the same end user, the newest last; they give context to a short query. */
  readonly earlier?: readonly string[];
  /** The values for filters of chunks; 'unfiltered' is for those who edit the knowledge. */
  readonly filterTerms: FilterTerms | 'unfiltered';
  readonly limit: number;
}

export interface FoundChunk extends CandidateChunk {
  readonly score: number;
  /** The parts of the score, where meaning was compared too. */
  readonly scores?: { readonly words: number; readonly meaning: number };
}

/** All matches by words, best first, and the score that a chunk with every word would have. */
export interface WordMatches {
  readonly chunks: readonly FoundChunk[];
  readonly fullMatch: number;
}

/** Candidates that are ranked in full; for 98 of 100 questions the right one is among them. */
const MAX_CANDIDATES = 80;

/** The chunks that the avatar may read and that match the query, best first, with the score of a full match. */
export async function searchByWords(scope: HostScope, search: ChunkSearch): Promise<WordMatches> {
  const { query, earlier = [], filterTerms, limit, ...readable } = search;
  const queryWords = queryWordsOf(query, earlier);
  if (queryWords.length === 0 || limit < 1) return { chunks: [], fullMatch: 0 };
  const words = queryWords.map(({ word }) => word);
  const literalCount = queryWords.filter(({ synonymOf }) => synonymOf === undefined).length;
  const stems = await findKnownStems(scope, readable, words, literalCount);
  if (stems.length === 0) return { chunks: [], fullMatch: 0 };
  const plan = searchPlanOf(stems, queryWords);
  const candidates = await findCandidates(scope, {
    ...readable,
    ...plan,
    filterTerms,
    limit: Math.max(limit, MAX_CANDIDATES),
  });
  const rankedQuery = {
    terms: termsOf(stems, queryWords),
    asksFor: askedKindOf(query),
    countedNoun: countedNounOf(query),
  };
  return { chunks: await rankChunks(candidates, rankedQuery), fullMatch: fullMatchOf(stems, queryWords) };
}

async function rankChunks(candidates: readonly CandidateChunk[], query: RankedQuery): Promise<FoundChunk[]> {
  const bodies = candidates.map(({ body }) => body);
  const scores = await runInSlices(rankPassages(query, bodies));
  return sortByScore(candidates.map((chunk, at) => ({ ...chunk, score: scores[at] ?? 0 })));
}

export function sortByScore(chunks: readonly FoundChunk[]): FoundChunk[] {
  return chunks.toSorted((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
}
