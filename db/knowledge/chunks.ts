import type { DataOf } from '../../queues/contract/operations/index.ts';
import { jsonOf, rowOf, rowsOf, sql, withoutNulls } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import type { DatasetType } from './datasets.ts';
import type { Validity } from './validity.ts';

/** Alternatives by key, normalized for comparison. A filter without keys is for everybody. */
export type ChunkFilter = Readonly<Record<string, readonly string[]>>;

export interface NewChunk {
  readonly datasetId: string;
  readonly content: string;
  /** Undefined: for everybody. */
  readonly filter?: ChunkFilter;
  readonly tokenCount: number;
  readonly validity?: Validity | undefined;
  /** The token that writes; undefined for a command. */
  readonly writtenBy?: { readonly id: string; readonly name: string };
}

export interface StoredChunk {
  readonly id: string;
  readonly datasetId: string;
  readonly datasetType: DatasetType;
  readonly content: string;
  readonly filter: ChunkFilter;
  readonly validFrom: Date | null;
  readonly validUntil: Date | null;
}

type ReadChunk = DataOf<'readChunks'>[number];
type CitedChunk = DataOf<'readCitedPassage'>;

interface ChunkPlace {
  readonly datasetId: string;
  readonly writtenBy?: NewChunk['writtenBy'];
  readonly documentId?: string;
  readonly validity?: Validity | undefined;
}

interface NewText extends Pick<NewChunk, 'content' | 'filter' | 'tokenCount'> {
  /** The place in the document. */
  readonly place?: string;
  /** The position among the texts of its import. */
  readonly position?: number;
}

/** A process of an older version stores the text in `body`, and what was sent in `content`. */
export const textOfChunk = sql`coalesce(chunk.body, chunk.content)`;

function isOpen(filter: ChunkFilter = {}): boolean {
  return Object.keys(filter).length === 0;
}

/** Returns the filter as JSON. One for everybody is stored as null, and is in no index of filters. */
export function storedFilterOf(filter: ChunkFilter | undefined): string | null {
  return isOpen(filter) ? null : jsonOf(filter);
}

/** Returns the id of the chunk; undefined if the dataset is missing or deleted. */
export async function insertChunk(scope: HostScope, chunk: NewChunk): Promise<string | undefined> {
  const [id] = await insertChunks(scope, chunk, [chunk]);
  return id;
}

/** Returns the ids of the chunks; none if the dataset is missing or deleted. Every chunk is inserted here. */
export async function insertChunks(
  { tx, hostId }: HostScope,
  { datasetId, documentId, writtenBy, validity = {} }: ChunkPlace,
  texts: readonly NewText[],
): Promise<string[]> {
  const rows = texts.map(({ content, place, position, filter, tokenCount }) => ({
    content,
    place,
    position,
    filter: isOpen(filter) ? null : filter,
    tokens: tokenCount,
  }));
  const inserted = await rowsOf<{ id: string }>(tx)`
    with inserted as (
    insert into chunks (host_id, dataset_id, document_id, content, place, position, filter, token_count, written_by,
      written_by_name, valid_from, valid_until)
    select dataset.host_id, dataset.id, ${documentId ?? null}, content, place, position, filter, tokens,
      ${writtenBy?.id ?? null}, ${writtenBy?.name ?? null},
      ${validity.from ?? null}::timestamptz, ${validity.until ?? null}::timestamptz
    from datasets dataset,
      jsonb_to_recordset(${jsonOf(rows)}::jsonb)
        as new_text (content text, place text, position integer, filter jsonb, tokens integer)
    where dataset.host_id = ${hostId} and dataset.id = ${datasetId} and not dataset.deleted
    returning host_id, id, dataset_id
    ), due as (
      insert into people_words (host_id, chunk_id, due_at)
      select inserted.host_id, inserted.id, now() from inserted
      join datasets dataset on dataset.host_id = inserted.host_id and dataset.id = inserted.dataset_id
      where dataset.enrich
    )
    select id from inserted`;
  return inserted.map(({ id }) => id);
}

/** A shorter text always fits into the index, whatever it consists of. */
export const ALWAYS_INDEXABLE = 65_536;

/** Whether the words of the text fit into the index: PostgreSQL takes 1 MiB of different words a row. */
export async function isIndexable({ tx }: HostScope, content: string): Promise<boolean> {
  if (content.length <= ALWAYS_INDEXABLE) return true;
  const [row] = await rowsOf<{ fits: boolean }>(tx)`select is_indexable(${content}) as fits`;
  return row?.fits === true;
}

/** Locks the chunk until the transaction ends; returns undefined if it or its dataset is missing or deleted. */
export async function findChunkForUpdate(
  { tx, hostId }: HostScope,
  id: string,
): Promise<StoredChunk | undefined> {
  return rowOf<StoredChunk>(tx)`
    select chunk.id, chunk.dataset_id as "datasetId", dataset.type as "datasetType", ${textOfChunk} as content,
      coalesce(chunk.filter, '{}') as filter,
      chunk.valid_from as "validFrom", chunk.valid_until as "validUntil"
    from chunks chunk
    join datasets dataset on dataset.host_id = chunk.host_id and dataset.id = chunk.dataset_id
    where chunk.host_id = ${hostId} and chunk.id = ${id} and not chunk.deleted and not dataset.deleted
    for update of chunk`;
}

export async function updateChunk(
  { tx, hostId }: HostScope,
  id: string,
  { content, filter, tokenCount, writtenBy }: Omit<NewChunk, 'datasetId' | 'validity'>,
): Promise<void> {
  await rowsOf(tx)`
    update chunks set content = ${content}, filter = ${storedFilterOf(filter)}::jsonb, body = null, token_count = ${tokenCount}, written_by = ${writtenBy?.id ?? null},
      written_by_name = ${writtenBy?.name ?? null}, updated_at = now()
    where host_id = ${hostId} and id = ${id}`;
}

export async function deleteChunk({ tx, hostId }: HostScope, id: string): Promise<void> {
  await rowsOf(tx)`
    update chunks set deleted = true, updated_at = now() where host_id = ${hostId} and id = ${id}`;
}

const readColumns = sql`(
      select words from people_words where people_words.host_id = listed.host_id and people_words.chunk_id = listed.chunk_id
    ) as people_words, (
      select true from chunks chunk join scanned_pages scanned on scanned.host_id = chunk.host_id
        and scanned.document_id = chunk.document_id and scanned.stored and chunk.place = 'p. ' || scanned.page
      where chunk.host_id = listed.host_id and chunk.id = listed.chunk_id limit 1
    ) as read_by_model, dataset_id, dataset_name, expires at time zone 'UTC' as expires, chunk_id, content,
    nullif(own_filter, '{}') as filter, updated_at at time zone 'UTC' as last_update, token_count, '' as search_question,
    coalesce(written_by::text, '') as user_id, coalesce(written_by_name, '') as user_name, document_id,
    case when document_id is not null then coalesce(document_title, '') end as document_title,
    valid_from at time zone 'UTC' as valid_from, valid_until at time zone 'UTC' as valid_until,
    case when not is_in_force(valid_from, valid_until) then true end as not_valid`;

export interface ChunkPageFilter {
  readonly avatarId: string;
  readonly datasetIds: readonly string[];
  /** Undefined: all of them. */
  readonly chunkIds?: readonly string[] | undefined;
  /** Also those that nobody but staff may read now. */
  readonly hasNotValid?: boolean | undefined;
}

/** Chunks of one import stand in the order of its document. */
const order = sql`updated_at desc, position, chunk_id`;

/** Reads the readable chunks of these datasets, the last written first: a page of `limit` rows and `maxBytes`. */
export async function readChunks(
  { tx, hostId }: HostScope,
  { avatarId, datasetIds, chunkIds, hasNotValid }: ChunkPageFilter,
  { limit, offset, maxBytes }: { readonly limit: number; readonly offset: number; readonly maxBytes: number },
): Promise<ReadChunk[]> {
  const chunks = await rowsOf<ReadChunk>(tx)`
    select ${readColumns} from (
      select *, sum(octet_length(content)) over (order by ${order}) - octet_length(content) as before
      from (
        select * from ${hasNotValid ? sql`listed_chunks` : sql`readable_chunks`}
        where host_id = ${hostId} and avatar_id = ${avatarId} and dataset_id = any (${datasetIds}::uuid[])
          ${chunkIds ? sql`and chunk_id = any (${chunkIds}::uuid[])` : sql``}
        order by ${order}
        limit ${limit} offset ${offset}
      ) page
    ) listed
    where before < ${maxBytes}
    order by ${order}`;
  return chunks.map(withoutNulls);
}

/** Reads these chunks in this order, except those that the avatar may not read. */
export async function readChunksById(
  { tx, hostId }: HostScope,
  avatarId: string,
  chunkIds: readonly string[],
): Promise<ReadChunk[]> {
  const chunks = await rowsOf<ReadChunk>(tx)`
    select ${readColumns} from readable_chunks listed
    where host_id = ${hostId} and avatar_id = ${avatarId} and chunk_id = any (${chunkIds}::uuid[])
    order by array_position(${chunkIds}::uuid[], chunk_id)`;
  return chunks.map(withoutNulls);
}

/** Reads a passage that an answer of the conversation cited, whoever may read its dataset now; undefined if deleted. */
export async function readCitedChunk(
  { tx, hostId }: HostScope,
  { conversationId, chunkId }: { readonly conversationId: string; readonly chunkId: string },
): Promise<CitedChunk | undefined> {
  return rowOf<CitedChunk>(tx)`
    select chunk.id as chunk_id, ${textOfChunk} as content, dataset.name as dataset_name,
      chunk.updated_at at time zone 'UTC' as last_update
    from chunks chunk join datasets dataset on dataset.host_id = chunk.host_id and dataset.id = chunk.dataset_id
    where chunk.host_id = ${hostId} and chunk.id = ${chunkId} and not chunk.deleted and not dataset.deleted
      and exists (
        select from messages answer
        where answer.host_id = ${hostId} and answer.conversation_id = ${conversationId}
          and answer.sources @> ${jsonOf([{ chunkId }])}::jsonb)`;
}
