import { ConsecutiveBreaker, circuitBreaker, handleAll, isBrokenCircuitError } from 'cockatiel';
import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { findNeighbours, type NeighbourChunk } from '../../db/vectors/neighbours.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { hasAskedWords } from '../domain/retrieval/asked-words.ts';
import { fuseScores } from '../domain/retrieval/fuse-scores.ts';
import { joinQuery } from '../domain/retrieval/retrieval-query.ts';
import { spaceOf, type Vector } from '../domain/retrieval/vector-space.ts';
import type { Embedder } from '../model/embedder.ts';
import type { ModelCall } from '../model/model.ts';
import {
  bestFirst,
  type ChunkSearch,
  type FoundByWords,
  type FoundChunk,
  searchByWords,
} from './search-chunks.ts';

/*
 * A search by words is done within the transaction of its scope. Where a model embeds, the query is sent to it
 * meanwhile, and once the transaction has ended (nobody waits for a network inside one) what means the same is looked
 * for in another. Whatever fails there, or takes too long, leaves what was found by words.
 */

/** Without a signal by words alone: nobody is asked, and nobody waits. */
export type KnowledgeFinder = (
  scope: HostScope,
  search: ChunkSearch,
  signal: AbortSignal | undefined,
) => Promise<FoundKnowledge>;

export interface FoundKnowledge {
  /** By words. */
  readonly chunks: readonly FoundChunk[];
  /** By words and meaning; waits, so it is not to be called within a transaction. Never rejects. Undefined where no model embeds. */
  readonly byMeaning?: () => Promise<MeantKnowledge>;
}

export interface MeantKnowledge {
  readonly chunks: readonly FoundChunk[];
  /** What the model was asked for it. */
  readonly calls: readonly ModelCall[];
}

interface MeaningParts {
  readonly db: Db;
  readonly embedder: Embedder;
  readonly log: Logger;
}

const EMBED_LIMIT_MS = 1_000;
const COMPARE_LIMIT_MS = 500;
const LONGEST_QUERY = 2_000;
const MOST_NEIGHBOURS = 40;
const FAILURES_IN_A_ROW = 3;
const LEFT_IN_PEACE_MS = 10_000;

/** Without an embedder it is a search by words and nothing else. */
export function makeKnowledgeFinder(db: Db, embedder: Embedder | undefined, log: Logger): KnowledgeFinder {
  const meaningOf = embedder && askedMeaning({ db, embedder, log });
  return async (scope, search, signal) => {
    const calls: ModelCall[] = [];
    const asks = meaningOf && signal && search.limit > 0 && hasAskedWords(search.query, search.earlier);
    const asking = asks ? meaningOf(search, signal, calls) : undefined;
    const found = await searchByWords(scope, search);
    const chunks = found.chunks.slice(0, search.limit);
    if (!asking || !embedder) return { chunks };
    const { hostId } = scope;
    const refined = async () => {
      const vector = await asking;
      if (!vector || signal?.aborted) return chunks;
      const near = await neighboursOf({ db, embedder, log }, hostId, search, vector);
      return near ? fused(found, near).slice(0, search.limit) : chunks;
    };
    return { chunks, byMeaning: async () => ({ chunks: await refined(), calls }) };
  };
}

/** The vector of a query, or undefined where it cannot be had in time. A model that fails again and again is left in peace for a while. */
function askedMeaning({ embedder, log }: MeaningParts) {
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: LEFT_IN_PEACE_MS,
    breaker: new ConsecutiveBreaker(FAILURES_IN_A_ROW),
  });
  breaker.onBreak(() =>
    log.warn({ model: embedder.model }, 'questions are looked for by words alone for a while'),
  );
  return async (
    { query, earlier = [] }: ChunkSearch,
    turn: AbortSignal,
    calls: ModelCall[],
  ): Promise<Vector | undefined> => {
    const text = joinQuery({ query, earlier }).slice(-LONGEST_QUERY).toWellFormed();
    const limit = AbortSignal.timeout(EMBED_LIMIT_MS);
    const options = { signal: AbortSignal.any([turn, limit]), onCall: (call: ModelCall) => calls.push(call) };
    try {
      const [vector] = await breaker.execute(() => embedder.embed([text], options));
      return vector;
    } catch (error) {
      const reason = limit.aborted ? 'too late' : (error as Error).message;
      if (!turn.aborted && !isBrokenCircuitError(error))
        log.warn({ model: embedder.model, reason }, 'a question was looked for by words alone');
      return undefined;
    }
  };
}

async function neighboursOf(
  { db, embedder, log }: MeaningParts,
  hostId: string,
  { avatarId, datasetIds, given, limit }: ChunkSearch,
  vector: Vector,
): Promise<NeighbourChunk[] | undefined> {
  const search = {
    avatarId,
    datasetIds,
    given,
    space: spaceOf(embedder.model, vector),
    vector,
    limit: Math.max(limit, MOST_NEIGHBOURS),
  };
  try {
    return await withHost(db, hostId, scope => findNeighbours(scope, search, COMPARE_LIMIT_MS));
  } catch (err) {
    log.warn({ err }, 'meanings were not compared: a question was looked for by words alone');
    return undefined;
  }
}

function fused({ chunks, fullMatch }: FoundByWords, near: readonly NeighbourChunk[]): FoundChunk[] {
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
  return bestFirst(scored.filter(({ score }) => score > 0));
}
