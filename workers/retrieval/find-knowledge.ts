import { isBrokenCircuitError } from 'cockatiel';
import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import {
  type CandidateChunk,
  findCandidates,
  findKnownWords,
  type KnowledgeScope,
  type KnownStem,
  type NamedChunk,
} from '../../db/knowledge/chunk-search.ts';
import { findNeighbours, type NeighbourChunk } from '../../db/vectors/neighbours.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { linkSignals } from '../../platform/link-signals.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import { askedKindOf } from '../../text/asked-kind.ts';
import { toPortuguese } from '../../text/foreign-words.ts';
import { countedNounOf, hasQueryWords, queryWordsOf } from '../../text/query-words.ts';
import type { FilterTerms } from '../domain/passage-filter.ts';
import { fuseScores } from '../domain/retrieval/fuse-scores.ts';
import { coverageOf, type RankedQuery, rankPassages } from '../domain/retrieval/rank-passages.ts';
import { joinQuery } from '../domain/retrieval/retrieval-query.ts';
import { fullMatchOf, meantStemsOf, searchPlanOf, termsOf } from '../domain/retrieval/search-plan.ts';
import { spaceOf, type Vector } from '../domain/retrieval/vector-space.ts';
import { makeBreakers } from '../model/breaker.ts';
import type { Embedder } from '../model/embedder.ts';
import { type Spender, SpendRefusedError } from '../model/spender.ts';
import type { ModelCall } from '../model/tries.ts';

/*
 * The search by words runs in the transaction of its scope. With an embedding model, the query is embedded concurrently.
 * The semantic search runs later in a transaction of its own, because no transaction may wait for the network. When
 * it fails or times out, the result of the search by words stands.
 */

export interface KnowledgeSearch extends ChunkSearch {
  /** If true, the query leaves for the embedding model without personal identifiers. */
  readonly isMasked: boolean;
  /** Pays for the embedding of the query. */
  readonly spender: Spender;
}

/** Without a signal the search uses words only and makes no network call. */
export type KnowledgeFinder = (
  scope: HostScope,
  search: KnowledgeSearch,
  signal: AbortSignal | undefined,
) => Promise<FoundKnowledge>;

export interface FoundKnowledge {
  readonly chunks: readonly FoundChunk[];
  /** How much of the query stands in the chunk that its words find first; see `coverageOf`. 1 for a query without words. */
  readonly coverage: number;
  /** The score that a chunk with every word would have. */
  readonly fullMatch: number;
  /**
   * Finds by words and meaning. Never rejects; waits for the network, so not in a transaction. Undefined without embedding
   * model.
   */
  readonly searchByMeaning?: () => Promise<KnowledgeByMeaning>;
}

export interface KnowledgeByMeaning {
  readonly chunks: readonly FoundChunk[];
  readonly calls: readonly ModelCall[];
}

interface SemanticSearchParts {
  readonly db: Db;
  readonly embedder: Embedder;
  readonly log: Logger;
}

const EMBED_TIMEOUT_MS = 1_000;
const COMPARE_TIMEOUT_MS = 500;
const MAX_QUERY_LENGTH = 2_000;
const MAX_NEIGHBOURS = 40;

/** Without an embedder the search uses words only. */
export function makeKnowledgeFinder(db: Db, embedder: Embedder | undefined, log: Logger): KnowledgeFinder {
  const embedQuery = embedder && makeQueryEmbedder({ db, embedder, log });
  return async (scope, search, signal) => {
    const isEmbedded =
      embedQuery && signal && search.limit > 0 && hasQueryWords(search.query, search.earlier);
    const embedding = isEmbedded ? embedQuery(search, signal) : undefined;
    const matches = await searchByWords(scope, search);
    const chunks = matches.chunks.slice(0, search.limit);
    const { coverage, fullMatch } = matches;
    if (!embedding || !embedder) return { chunks, coverage, fullMatch };
    const { hostId } = scope;
    const refineChunks = async (vector: Vector | undefined) => {
      if (!vector || signal?.aborted) return chunks;
      const near = await findNeighbourChunks({ db, embedder, log }, hostId, search, vector);
      return near ? fuseMatches(matches, near).slice(0, search.limit) : chunks;
    };
    const searchByMeaning = async () => {
      const { vector, calls } = await embedding;
      return { chunks: await refineChunks(vector), calls };
    };
    return { chunks, coverage, fullMatch, searchByMeaning };
  };
}

interface EmbeddedQuery {
  readonly vector: Vector | undefined;
  readonly calls: readonly ModelCall[];
}

/** Embeds queries; no vector if that fails or takes too long. After repeated failures a breaker pauses the host's calls. */
function makeQueryEmbedder({ embedder, log }: SemanticSearchParts) {
  const isFailure = (error: Error) => !(error instanceof SpendRefusedError);
  const breakerOf = makeBreakers(isFailure, hostId =>
    log.warn(
      { event: 'knowledge.vector_paused', model: embedder.model, hostId },
      'semantic search is paused for a host: the embedding model keeps failing',
    ),
  );
  return async (
    { query, earlier = [], isMasked, spender }: KnowledgeSearch,
    turn: AbortSignal,
  ): Promise<EmbeddedQuery> => {
    const cut = (sent: string) => sent.slice(-MAX_QUERY_LENGTH).toWellFormed();
    const calls: ModelCall[] = [];
    const text = { text: joinQuery({ query, earlier }), isMasked, spender, cut };
    const limit = AbortSignal.timeout(EMBED_TIMEOUT_MS);
    using linked = linkSignals(turn, limit);
    const options = { signal: linked.signal, onCall: (call: ModelCall) => calls.push(call) };
    const embed = () =>
      embedder.embed([text], options).catch((error: Error) => {
        // The end of a turn is not a failure of the model.
        if (turn.aborted) return [];
        throw error;
      });
    try {
      const [vector] = await breakerOf(spender.hostId).execute(embed);
      return { vector, calls };
    } catch (error) {
      const reason = limit.aborted ? 'too late' : (error as Error).message;
      if (!turn.aborted && !isBrokenCircuitError(error) && !(error instanceof SpendRefusedError))
        log.warn(
          { event: 'knowledge.vector_skipped', model: embedder.model, reason },
          'a question was searched by words only',
        );
      return { vector: undefined, calls };
    }
  };
}

async function findNeighbourChunks(
  { db, embedder, log }: SemanticSearchParts,
  hostId: string,
  { avatarId, datasetIds, filterTerms, limit }: ChunkSearch,
  vector: Vector,
): Promise<NeighbourChunk[] | undefined> {
  const search = {
    avatarId,
    datasetIds,
    filterTerms,
    space: spaceOf(embedder.model, vector),
    vector,
    limit: Math.max(limit, MAX_NEIGHBOURS),
  };
  try {
    return await withHost(db, hostId, scope => findNeighbours(scope, search, COMPARE_TIMEOUT_MS));
  } catch (err) {
    log.warn(
      { event: 'knowledge.vector_failed', err },
      'failed to compare vectors: a question was searched by words only',
    );
    return undefined;
  }
}

function fuseMatches({ chunks, fullMatch }: WordMatches, near: readonly NeighbourChunk[]): FoundChunk[] {
  const byWords = new Map(chunks.map(chunk => [chunk.chunkId, chunk]));
  const likeness = new Map(near.map(chunk => [chunk.chunkId, chunk.likeness]));
  const others = near
    .filter(({ chunkId }) => !byWords.has(chunkId))
    .map(({ likeness: _, ...chunk }) => chunk);
  const all = [...chunks, ...others.map(chunk => ({ ...chunk, score: 0 }))];
  const evidence = all.map(({ chunkId, score }) => ({ words: score, likeness: likeness.get(chunkId) }));
  const scores = fuseScores(evidence, fullMatch);
  const scored = all.map((chunk, at) => {
    const { score = 0, words = 0, meaning = 0 } = scores[at] ?? {};
    return { ...chunk, score, scores: { words, meaning } };
  });
  return sortByScore(scored.filter(({ score }) => score > 0));
}

export interface ChunkSearch extends KnowledgeScope {
  readonly query: string;
  /** Earlier questions of the same end user, the newest last; they give context to a short query. */
  readonly earlier?: readonly string[];
  /** Values for the filters of chunks; 'unfiltered' is for people who edit the knowledge. */
  readonly filterTerms: FilterTerms | 'unfiltered';
  readonly limit: number;
}

export interface FoundChunk extends CandidateChunk {
  readonly score: number;
  /** The parts of the score, if meaning was compared too. */
  readonly scores?: { readonly words: number; readonly meaning: number };
}

interface WordMatches {
  readonly chunks: readonly FoundChunk[];
  readonly fullMatch: FoundKnowledge['fullMatch'];
  readonly coverage: FoundKnowledge['coverage'];
}

const NO_MATCHES: WordMatches = { chunks: [], fullMatch: 0, coverage: 0 };

/** Candidates that are ranked in full; for 98 of 100 questions the right one is among them. */
const MAX_CANDIDATES = 80;

/** Finds the chunks that the avatar may read and that match the query, best first, with the score of a full match. */
export async function searchByWords(scope: HostScope, search: ChunkSearch): Promise<WordMatches> {
  const { query, earlier = [], filterTerms, limit, ...readable } = search;
  const queryWords = queryWordsOf(query, earlier);
  if (queryWords.length === 0 || limit < 1) return { ...NO_MATCHES, coverage: 1 };
  const words = queryWords.map(({ word }) => word);
  const literalCount = queryWords.filter(({ synonymOf }) => synonymOf === undefined).length;
  const known = await findKnownWords(scope, { ...readable, filterTerms }, words, literalCount);
  const { named } = known;
  const stems = meantStemsOf(addNamed(known.stems, named), queryWords);
  if (stems.length === 0) return NO_MATCHES;
  const plan = searchPlanOf(stems, queryWords);
  const candidates = await findCandidates(scope, {
    ...readable,
    ...plan,
    filterTerms,
    limit: Math.max(limit, MAX_CANDIDATES),
  });
  const terms = termsOf(stems, queryWords);
  const { language, words: translated } = toPortuguese(query);
  const asked = language ? translated.join(' ') : query;
  const rankedQuery = { terms, asksFor: askedKindOf(asked), countedNoun: countedNounOf(asked) };
  const chunks = await rankChunks(candidates, named, rankedQuery);
  const first = chunks[0];
  const names = named.find(({ chunkId }) => chunkId === first?.chunkId)?.peopleWords ?? '';
  const coverage = coverageOf(terms, `${first?.body ?? ''}\n\n${names}`);
  return { chunks, fullMatch: fullMatchOf(stems, queryWords), coverage };
}

/** A word of people for a chunk counts this part of what it would in the text. */
const BY_NAME = 0.5;

/** Ranks the candidates, and the chunks that people call by a word of the query. */
async function rankChunks(
  candidates: readonly CandidateChunk[],
  named: readonly NamedChunk[],
  query: RankedQuery,
): Promise<FoundChunk[]> {
  const others = named.map(({ word: _word, stem: _stem, peopleWords: _words, ...chunk }) => chunk);
  const chunks = [...new Map([...candidates, ...others].map(chunk => [chunk.chunkId, chunk])).values()];
  const scoresOf = (texts: readonly string[]) => runInSlices(rankPassages(query, texts));
  const bodies = chunks.map(({ body }) => body);
  const own = await scoresOf(bodies);
  const namesOf = new Map(named.map(({ chunkId, peopleWords }) => [chunkId, peopleWords]));
  const withNames =
    named.length === 0
      ? own
      : await scoresOf(chunks.map(({ chunkId, body }) => `${body}\n\n${namesOf.get(chunkId) ?? ''}`));
  return sortByScore(
    chunks.map((chunk, at) => {
      const score = own[at] ?? 0;
      return { ...chunk, score: score + BY_NAME * Math.max((withNames[at] ?? 0) - score, 0) };
    }),
  );
}

/** A word that only people use for a chunk is known: none that looks like it stands in its place. */
function addNamed(stems: readonly KnownStem[], named: readonly NamedChunk[]): KnownStem[] {
  const isOwn = (word: string) => stems.some(stem => stem.word === word && stem.likeness === 1);
  const unknown = named.filter(({ word }) => !isOwn(word));
  const total = stems[0]?.total ?? named.length;
  const added = [...new Map(unknown.map(each => [each.stem, each])).values()].map(({ word, stem }) => {
    const chunks = named.filter(each => each.stem === stem).length;
    return { word, written: word, stem, likeness: 1, chunks, total };
  });
  return [...stems.filter(({ word }) => !added.some(each => each.word === word)), ...added];
}

function sortByScore(chunks: readonly FoundChunk[]): FoundChunk[] {
  return chunks.toSorted((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
}
