import type { DatasetType } from './datasets.ts';
import { jsonOf, rowsOf, sql } from './rows-of.ts';
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

export interface StoredChunk {
  readonly id: string;
  readonly datasetId: string;
  readonly datasetType: DatasetType;
  readonly content: string;
}

/** A chunk as it stands in its dataset, with who wrote it last. */
export interface ReadChunk {
  readonly chunkId: string;
  readonly datasetId: string;
  readonly datasetName: string;
  readonly expires: Date;
  readonly content: string;
  readonly tokenCount: number;
  readonly updatedAt: Date;
  readonly writtenBy: string | null;
  readonly writtenByName: string | null;
}

export interface ChunkSearch {
  readonly avatarId: string;
  /** Left out: all that the avatar may read. */
  readonly datasetIds?: readonly string[] | undefined;
  readonly query: string;
  readonly limit: number;
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

/** How many of the best are looked at for those of some datasets. */
const BEFORE_RESTRICTING = 5_000;

/** The chunk, held until the transaction ends; undefined where it or its dataset is missing or deleted. */
export async function findChunkForUpdate(
  { tx, hostId }: HostScope,
  id: string,
): Promise<StoredChunk | undefined> {
  const [chunk] = await rowsOf<StoredChunk>(tx)`
    select chunk.id, chunk.dataset_id as "datasetId", dataset.type as "datasetType", chunk.content
    from chunks chunk
    join datasets dataset on dataset.host_id = chunk.host_id and dataset.id = chunk.dataset_id
    where chunk.host_id = ${hostId} and chunk.id = ${id} and not chunk.deleted and not dataset.deleted
    for update of chunk`;
  return chunk;
}

export async function updateChunk(
  { tx, hostId }: HostScope,
  id: string,
  { content, frontMatter, tokenCount, writtenBy }: Omit<NewChunk, 'datasetId'>,
): Promise<void> {
  await rowsOf(tx)`
    update chunks set content = ${content}, filter = ${frontMatter ? jsonOf(frontMatter.filter) : null}::jsonb,
      body = ${frontMatter?.body ?? null}, token_count = ${tokenCount}, written_by = ${writtenBy?.id ?? null},
      written_by_name = ${writtenBy?.name ?? null}, updated_at = now()
    where host_id = ${hostId} and id = ${id}`;
}

export async function deleteChunk({ tx, hostId }: HostScope, id: string): Promise<void> {
  await rowsOf(tx)`
    update chunks set deleted = true, updated_at = now() where host_id = ${hostId} and id = ${id}`;
}

const readColumns = sql`chunk_id as "chunkId", dataset_id as "datasetId", dataset_name as "datasetName", expires,
    content, token_count as "tokenCount", updated_at as "updatedAt", written_by as "writtenBy",
    written_by_name as "writtenByName"`;

export interface ReadOf {
  readonly avatarId: string;
  readonly datasetIds: readonly string[];
}

/** What the avatar may read of these datasets, what was written last first: a page of `limit`, and of `mostBytes`. */
export async function readChunks(
  { tx, hostId }: HostScope,
  { avatarId, datasetIds }: ReadOf,
  {
    limit,
    offset,
    mostBytes,
  }: { readonly limit: number; readonly offset: number; readonly mostBytes: number },
): Promise<ReadChunk[]> {
  return rowsOf<ReadChunk>(tx)`
    select ${readColumns} from (
      select *, sum(octet_length(content)) over (order by updated_at desc, chunk_id) - octet_length(content) as before
      from (
        select * from readable_chunks
        where host_id = ${hostId} and avatar_id = ${avatarId} and dataset_id = any (${datasetIds}::uuid[])
        order by updated_at desc, chunk_id
        limit ${limit} offset ${offset}
      ) page
    ) page
    where before < ${mostBytes}
    order by updated_at desc, chunk_id`;
}

/** These chunks in this order; those that the avatar may not read are left out. */
export async function readChunksById(
  { tx, hostId }: HostScope,
  avatarId: string,
  chunkIds: readonly string[],
): Promise<ReadChunk[]> {
  return rowsOf<ReadChunk>(tx)`
    select ${readColumns} from readable_chunks
    where host_id = ${hostId} and avatar_id = ${avatarId} and chunk_id = any (${chunkIds}::uuid[])
    order by array_position(${chunkIds}::uuid[], chunk_id)`;
}

/**
 * What the avatar may read and what best fits the query, best first. Any word counts, and a passage that has the
 * query's own wording counts more. The content is as it was written, front-matter included.
 */
export async function searchChunks(
  { tx, hostId }: HostScope,
  { avatarId, datasetIds, query, limit }: ChunkSearch,
): Promise<FoundChunk[]> {
  return rowsOf<FoundChunk>(tx)`
    select chunk.chunk_id as "chunkId", chunk.dataset_id as "datasetId", chunk.dataset_name as "datasetName",
      chunk.dataset_type as "datasetType", chunk.content, chunk.token_count as "tokenCount", match.score
    from chunk_matches(${hostId}, ${avatarId}, ${query}, ${datasetIds ? BEFORE_RESTRICTING : limit}) match
    join readable_chunks chunk on chunk.chunk_id = match.chunk_id
      and chunk.host_id = ${hostId} and chunk.avatar_id = ${avatarId}
    where ${datasetIds ?? null}::uuid[] is null or chunk.dataset_id = any (${datasetIds ?? null}::uuid[])
    order by match.score desc, chunk.chunk_id
    limit ${limit}`;
}
