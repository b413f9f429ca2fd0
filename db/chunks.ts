import type { DatasetType } from './datasets.ts';
import { jsonOf, rowsOf } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

/** What stands at the head of the content, read: for whom it is, and the text that follows. */
export interface ChunkFrontMatter {
  /** Each key with its alternatives, in the form in which they are compared. */
  readonly filter: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

export interface NewChunk {
  readonly datasetId: string;
  /** As it was written, front-matter included. */
  readonly content: string;
  /** Left out where the content has none: then the chunk is for everybody. */
  readonly frontMatter?: ChunkFrontMatter | undefined;
  readonly tokenCount: number;
  /** The token that writes; none where a command does. */
  readonly writtenBy?: { readonly id: string; readonly name: string };
}

export interface FoundChunk {
  readonly chunkId: string;
  readonly datasetId: string;
  readonly datasetName: string;
  readonly datasetType: DatasetType;
  readonly content: string;
  readonly tokenCount: number;
  readonly score: number;
}

/** Gives the chunk's id; undefined where the dataset is missing or deleted. */
export async function insertChunk({ tx, hostId }: HostScope, chunk: NewChunk): Promise<string | undefined> {
  const { datasetId, content, frontMatter, tokenCount, writtenBy } = chunk;
  const [inserted] = await rowsOf<{ id: string }>(tx)`
    insert into chunks (host_id, dataset_id, content, filter, body, token_count, written_by, written_by_name)
    select dataset.host_id, dataset.id, ${content},
      ${frontMatter ? jsonOf(frontMatter.filter) : null}::jsonb, ${frontMatter?.body ?? null}, ${tokenCount},
      ${writtenBy?.id ?? null}, ${writtenBy?.name ?? null}
    from datasets dataset
    where dataset.host_id = ${hostId} and dataset.id = ${datasetId} and not dataset.deleted
    returning id`;
  return inserted?.id;
}

/**
 * What the avatar may read and what best fits the query, best first. Any word counts, and a passage that has the
 * query's own wording counts more. The content is as it was written, front-matter included.
 */
export async function searchChunks(
  { tx, hostId }: HostScope,
  { avatarId, query, limit }: { readonly avatarId: string; readonly query: string; readonly limit: number },
): Promise<FoundChunk[]> {
  return rowsOf<FoundChunk>(tx)`
    select chunk.chunk_id as "chunkId", chunk.dataset_id as "datasetId", chunk.dataset_name as "datasetName",
      chunk.dataset_type as "datasetType", chunk.content, chunk.token_count as "tokenCount", match.score
    from chunk_matches(${hostId}, ${avatarId}, ${query}, ${limit}) match
    join readable_chunks chunk on chunk.chunk_id = match.chunk_id
      and chunk.host_id = ${hostId} and chunk.avatar_id = ${avatarId}
    order by match.score desc, chunk.chunk_id
    limit ${limit}`;
}
