import type { DatasetType } from './datasets.ts';
import { type Fragment, jsonOf, rowsOf, sql } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

/** The parsed front-matter of a chunk: its audience, and the text that follows. */
export interface ChunkFrontMatter {
  /** Each key with its alternatives, folded for comparison. */
  readonly filter: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

export interface NewChunk {
  readonly datasetId: string;
  /** The original text, including front-matter. */
  readonly content: string;
  /** Undefined without front-matter: then the chunk is for everybody. */
  readonly frontMatter?: ChunkFrontMatter | undefined;
  readonly tokenCount: number;
  /** The token that writes; undefined for a command. */
  readonly writtenBy?: { readonly id: string; readonly name: string };
}

export interface StoredChunk {
  readonly id: string;
  readonly datasetId: string;
  readonly datasetType: DatasetType;
  readonly content: string;
}

/** A chunk in its dataset, with its last author. */
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

/** The knowledge that a search may read. */
export interface ReadableBy {
  readonly avatarId: string;
  /** Undefined: all readable datasets of the avatar. */
  readonly datasetIds?: readonly string[] | undefined;
}

/** A stem in the knowledge that matches a word of the query. */
export interface KnownStem {
  readonly word: string;
  /** The word itself, or the most similar spelling in the knowledge. */
  readonly written: string;
  readonly stem: string;
  /** Similarity of the spelling: 1 for the word itself. */
  readonly likeness: number;
  /** Chunks that contain it, and chunks in all; estimates for large knowledge. */
  readonly chunks: number;
  readonly total: number;
}

export interface CandidateSearch extends ReadableBy {
  /**
   * The values of the turn for each key of a filter, folded like filters; a missing key has no value. 'unfiltered' is
   * for those who maintain the knowledge.
   */
  readonly filterTerms: Readonly<Record<string, readonly string[]>> | 'unfiltered';
  /** One stem, or several separated by blanks: chunks that contain all of them are candidates. */
  readonly probes: readonly string[];
  /** The stems of the first ranking. */
  readonly stems: readonly string[];
  readonly weights: readonly number[];
  readonly limit: number;
}

export interface CandidateChunk {
  readonly chunkId: string;
  readonly datasetId: string;
  readonly datasetName: string;
  readonly datasetType: DatasetType;
  /** The text without its front-matter. */
  readonly body: string;
  readonly tokenCount: number;
}

/** Returns the id of the chunk; undefined where the dataset is missing or deleted. */
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

/** The chunk, locked until the transaction ends; undefined where it or its dataset is missing or deleted. */
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

export interface ChunkPageFilter {
  readonly avatarId: string;
  readonly datasetIds: readonly string[];
}

/** The readable chunks of these datasets, the last written first: a page of `limit` rows and `maxBytes`. */
export async function readChunks(
  { tx, hostId }: HostScope,
  { avatarId, datasetIds }: ChunkPageFilter,
  { limit, offset, maxBytes }: { readonly limit: number; readonly offset: number; readonly maxBytes: number },
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
    where before < ${maxBytes}
    order by updated_at desc, chunk_id`;
}

/** These chunks in this order, without those that the avatar may not read. */
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

/** Only the first `literalCount` words are matched by similarity. */
export async function findKnownStems(
  { tx, hostId }: HostScope,
  { avatarId, datasetIds }: ReadableBy,
  words: readonly string[],
  literalCount: number,
): Promise<KnownStem[]> {
  return rowsOf<KnownStem>(tx)`
    select word, written, stem, likeness, chunks::float8 as chunks, total::float8 as total
    from known_stems(${hostId}, ${avatarId}, ${datasetIds ?? null}::uuid[], ${words}::text[], ${literalCount})`;
}

/** The best candidates of the first ranking. */
export async function findCandidates(
  scope: HostScope,
  { avatarId, datasetIds, filterTerms, probes, stems, weights, limit }: CandidateSearch,
): Promise<CandidateChunk[]> {
  const { tx, hostId } = scope;
  const terms = filterTerms === 'unfiltered' ? null : jsonOf(filterTerms);
  return rowsOf<CandidateChunk>(tx)`
    select chunk.chunk_id as "chunkId", chunk.dataset_id as "datasetId", chunk.dataset_name as "datasetName",
      chunk.dataset_type as "datasetType", chunk.body, chunk.token_count as "tokenCount"
    from chunk_candidates(${hostId}, ${avatarId}, ${datasetIds ?? null}::uuid[], ${terms}::jsonb,
      ${probes}::text[], ${stems}::text[], ${weights.map(String)}::real[], ${limit}) candidate
    cross join lateral (${readableChunk(scope, avatarId, sql`candidate.chunk_id`)}) chunk
    order by candidate.score desc, chunk.chunk_id`;
}

/**
 * The chunk with this id, if the avatar may read it. Join it laterally: otherwise the planner of a large host reads
 * all chunks to join eighty.
 */
export function readableChunk({ hostId }: HostScope, avatarId: string, id: Fragment): Fragment {
  return sql`
    select * from readable_chunks readable
    where readable.host_id = ${hostId} and readable.avatar_id = ${avatarId} and readable.chunk_id = ${id}
    limit 1`;
}

/** The keys of filters of readable chunks; reads the first thousand. */
export async function findFilterKeys({ tx, hostId }: HostScope, avatarId: string): Promise<string[]> {
  const found = await rowsOf<{ key: string }>(tx)`
    select distinct key
    from (
      select filter from readable_chunks
      where host_id = ${hostId} and avatar_id = ${avatarId} and filter is not null
      limit 1000
    ) filtered, jsonb_object_keys(filter) key
    order by key`;
  return found.map(({ key }) => key);
}
