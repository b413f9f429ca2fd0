import { type CandidateChunk, type CandidateSearch, readableChunk } from '../knowledge/chunk-search.ts';
import { jsonOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

export interface NeighbourSearch
  extends Pick<CandidateSearch, 'avatarId' | 'datasetIds' | 'filterTerms' | 'limit'> {
  readonly space: string;
  readonly vector: readonly number[];
}

export interface NeighbourChunk extends CandidateChunk {
  /** Cosine similarity of the query and the chunk. */
  readonly likeness: number;
}

/** Finds the readable chunks most similar to the query, the most similar first. Times out after `limitMs`. */
export async function findNeighbours(
  scope: HostScope,
  { avatarId, datasetIds, filterTerms, space, vector, limit }: NeighbourSearch,
  limitMs: number,
): Promise<NeighbourChunk[]> {
  const { tx, hostId } = scope;
  const terms = filterTerms === 'unfiltered' ? null : jsonOf(filterTerms);
  await rowsOf(tx)`select set_config('statement_timeout', ${String(Math.round(limitMs))}, true)`;
  return rowsOf<NeighbourChunk>(tx)`
    select chunk.chunk_id as "chunkId", chunk.dataset_id as "datasetId", chunk.dataset_name as "datasetName",
      chunk.dataset_type as "datasetType", chunk.body, chunk.token_count as "tokenCount",
      chunk.document_id as "documentId", chunk.document_title as "documentTitle", near.likeness
    from chunk_neighbours(${hostId}, ${avatarId}, ${datasetIds ?? null}::uuid[], ${terms}::jsonb, ${space},
      ${JSON.stringify(vector)}, ${limit}) near
    cross join lateral (${readableChunk(scope, avatarId, sql`near.chunk_id`)}) chunk
    order by near.likeness desc, chunk.chunk_id`;
}
