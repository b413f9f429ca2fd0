import type { CandidateChunk, CandidateSearch } from '../chunks.ts';
import { jsonOf, rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

export interface NeighbourSearch
  extends Pick<CandidateSearch, 'avatarId' | 'datasetIds' | 'given' | 'limit'> {
  readonly space: string;
  readonly vector: readonly number[];
}

export interface NeighbourChunk extends CandidateChunk {
  /** The cosine of the angle between what is asked and what the chunk says. */
  readonly likeness: number;
}

/** What the avatar may read and what means what is asked for most, the most alike first. Ends after `limitMs`. */
export async function findNeighbours(
  { tx, hostId }: HostScope,
  { avatarId, datasetIds, given, space, vector, limit }: NeighbourSearch,
  limitMs: number,
): Promise<NeighbourChunk[]> {
  const terms = given === 'unfiltered' ? null : jsonOf(given);
  await tx.raw(`set local statement_timeout = ${Math.round(limitMs)}`);
  return rowsOf<NeighbourChunk>(tx)`
    select chunk.chunk_id as "chunkId", chunk.dataset_id as "datasetId", chunk.dataset_name as "datasetName",
      chunk.dataset_type as "datasetType", chunk.body, chunk.token_count as "tokenCount", near.likeness
    from chunk_neighbours(${hostId}, ${avatarId}, ${datasetIds ?? null}::uuid[], ${terms}::jsonb, ${space},
      ${JSON.stringify(vector)}, ${limit}) near
    join readable_chunks chunk on chunk.chunk_id = near.chunk_id
      and chunk.host_id = ${hostId} and chunk.avatar_id = ${avatarId}
    order by near.likeness desc, chunk.chunk_id`;
}
