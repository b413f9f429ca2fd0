import type { DataOf } from '../../queues/contract/operations/index.ts';
import { isAfter, type PageOf, placeOf, readRowsThatFit, type TimedRow, type TimeKey } from '../pages.ts';
import { rowsOf, sql, withoutNulls } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { type ChunkFilter, storedFilterOf, textOfChunk } from './chunks.ts';
import { setRefresh } from './refreshes.ts';
import { setValidity, type Validity, validityColumns } from './validity.ts';

export interface DocumentToImport {
  readonly datasetId: string;
  readonly externalKey?: string | undefined;
  readonly name: string;
  readonly mediaType: string;
  readonly url?: string | undefined;
}

type ListedDocument = DataOf<'listDocuments'>['items'][number] & TimedRow;

/**
 * Returns the document with this key, or a new one; undefined if the dataset is missing or deleted. It does not wait for an
 * import that is storing passages (`lockDocument`), only for a deletion.
 */
export async function openDocument(
  scope: HostScope,
  document: DocumentToImport,
): Promise<string | undefined> {
  const known = await findByKey(scope, document);
  if (known !== undefined) return known;
  const { tx, hostId } = scope;
  const { datasetId, externalKey, name, mediaType, url } = document;
  const [made] = await rowsOf<{ id: string }>(tx)`
    insert into documents (host_id, dataset_id, external_key, name, media_type, url)
    select dataset.host_id, dataset.id, ${externalKey ?? null}, ${name}, ${mediaType}, ${url ?? null}
    from datasets dataset
    where dataset.host_id = ${hostId} and dataset.id = ${datasetId} and not dataset.deleted
    on conflict (host_id, dataset_id, external_key) do nothing
    returning id`;
  // Another request inserted it first.
  return made?.id ?? findByKey(scope, document);
}

async function findByKey(
  { tx, hostId }: HostScope,
  { datasetId, externalKey }: DocumentToImport,
): Promise<string | undefined> {
  if (externalKey === undefined) return undefined;
  const [found] = await rowsOf<{ id: string }>(tx)`
    select document.id from documents document
    join datasets dataset on dataset.host_id = document.host_id and dataset.id = document.dataset_id
    where document.host_id = ${hostId} and document.dataset_id = ${datasetId}
      and document.external_key = ${externalKey} and not dataset.deleted
    for key share of document`;
  return found?.id;
}

/**
 * Lists the newest first. The index is read once for each dataset that is not deleted: a deleted one may have had the newest of
 * many documents.
 */
export async function listDocuments(
  { tx, hostId }: HostScope,
  { datasetId }: { readonly datasetId?: string | undefined },
  { limit, after }: PageOf<TimeKey>,
): Promise<ListedDocument[]> {
  const ofDataset = datasetId === undefined ? sql`` : sql`and dataset.id = ${datasetId}::uuid`;
  const ids = sql`
    select listed_document.id from datasets dataset cross join lateral (
      select id, created_at from documents stored
      where stored.host_id = ${hostId} and stored.dataset_id = dataset.id and not stored.deleted
        ${isAfter(sql`created_at`, sql`id`, after)}
      order by created_at desc, id desc limit ${limit}
    ) listed_document
    where dataset.host_id = ${hostId} and not dataset.deleted ${ofDataset}
    order by listed_document.created_at desc, listed_document.id desc limit ${limit}`;
  const rows = sql`${listedRows} where document.host_id = ${hostId} and document.id = any (array(${ids}))`;
  return (await readRowsThatFit<ListedDocument>(tx, rows, sql`at desc, "rowId" desc`)).map(withoutNulls);
}

/** Reads one as it is listed; undefined if there is no such document. */
export async function findDocument(
  { tx, hostId }: HostScope,
  id: string,
): Promise<DataOf<'editDocument'> | undefined> {
  const [found] = await rowsOf<ListedDocument>(tx)`
    ${listedRows} where document.host_id = ${hostId} and document.id = ${id} and not document.deleted`;
  if (!found) return undefined;
  const { at: _at, rowId: _rowId, ...document } = found;
  return withoutNulls(document);
}

const listedRows = sql`
    select document.id, dataset_id, document.name, external_key, document.media_type as content_type, document.url, filter,
      passages, case when stage = 'waiting' then 'waiting' when stage <> 'ended' then 'running'
        when reason is not null then 'failed' when incomplete is not null then 'incomplete' else 'ready' end as state,
      reason, incomplete, gone, nullif(struck, 0) as struck, coalesce(import.scans, document.scans) as scans,
      nullif(read_scans, false) as read_scans, (
        select true from contradiction_checks due
        join chunks chunk on chunk.host_id = due.host_id and chunk.id = due.chunk_id
        where due.host_id = document.host_id and chunk.document_id = document.id limit 1
      ) as comparing, coalesce(import.id, '') as job_id,
      valid_from at time zone 'UTC' as valid_from, valid_until at time zone 'UTC' as valid_until,
      case when not is_in_force(valid_from, valid_until) then true end as not_valid, refresh_every_hours,
      refresh.due_at at time zone 'UTC' as refresh_due_at, refresh.checked_at at time zone 'UTC' as checked_at,
      document.created_at at time zone 'UTC' as created_at, updated_at at time zone 'UTC' as updated_at,
      ${placeOf(sql`document.created_at`, sql`document.id`)}
    from documents document
    left join lateral (
      select id, stage, reason, incomplete, gone, struck, scans from document_imports import
      where import.host_id = document.host_id and import.document_id = document.id
      order by number desc limit 1
    ) import on true
    left join document_refreshes refresh on refresh.host_id = document.host_id and refresh.document_id = document.id`;

/**
 * Deletes the document with its chunks and imports, and returns the number of chunks; 0 if it was deleted before, undefined if
 * it never existed.
 */
export async function deleteDocument(scope: HostScope, id: string): Promise<number | undefined> {
  const { tx, hostId } = scope;
  const [document] = await rowsOf<{ deleted: boolean }>(tx)`
    select deleted from documents where host_id = ${hostId} and id = ${id} for update`;
  if (!document || document.deleted) return document && 0;
  await rowsOf(tx)`
    delete from document_uploads where host_id = ${hostId} and id in (
      select upload_id from document_imports where host_id = ${hostId} and document_id = ${id})`;
  for (const table of [
    sql`document_imports`,
    sql`document_refreshes`,
    sql`document_changes`,
    sql`scanned_pages`,
  ])
    await rowsOf(tx)`delete from ${table} where host_id = ${hostId} and document_id = ${id}`;
  const chunks = await rowsOf<{ id: string; deleted: boolean }>(tx)`
    select id, deleted from chunks where host_id = ${hostId} and document_id = ${id}`;
  await deletePassages(
    scope,
    chunks.map(chunk => chunk.id),
  );
  await rowsOf(tx)`
    update documents set deleted = true, external_key = null, passages = 0, updated_at = now()
    where host_id = ${hostId} and id = ${id}`;
  return chunks.filter(({ deleted }) => !deleted).length;
}

export interface StoredPassage {
  readonly id: string;
  /** MD5 of the content, in hexadecimal. */
  readonly hash: string;
  readonly place: string;
  /** In characters. */
  readonly length: number;
  /** Null for everybody. */
  readonly filter: ChunkFilter | null;
  /** By hand: an import deletes the row. */
  readonly deleted: boolean;
}

interface ImportOrder {
  readonly id: string;
  readonly documentId: string;
}

/** Locks the document until the transaction ends, and then reads its state. */
export async function lockDocument(scope: HostScope, order: ImportOrder): Promise<DocumentState | undefined> {
  await rowsOf(scope.tx)`
    select from documents where host_id = ${scope.hostId} and id = ${order.documentId} for no key update`;
  // The state has a statement of its own, because the lock's does not see commits during its wait.
  return readDocumentState(scope, order);
}

type DocumentState = 'current' | 'dataset-deleted' | 'superseded';

/** Reads the document of an import; undefined if it was deleted. `superseded`: a later import has already succeeded. */
export async function readDocumentState(
  { tx, hostId }: HostScope,
  { id: importId, documentId }: ImportOrder,
): Promise<DocumentState | undefined> {
  const [document] = await rowsOf<{ isDeleted: boolean; isSuperseded: boolean }>(tx)`
    select dataset.deleted as "isDeleted", exists (
      select from document_imports import
      join document_imports newer on newer.host_id = import.host_id and newer.document_id = import.document_id
        and newer.number > import.number and newer.ended_at is not null and newer.reason is null
      where import.host_id = ${hostId} and import.id = ${importId}) as "isSuperseded"
    from documents document
    join datasets dataset on dataset.host_id = document.host_id and dataset.id = document.dataset_id
    where document.host_id = ${hostId} and document.id = ${documentId} and not document.deleted`;
  if (!document) return undefined;
  if (document.isDeleted) return 'dataset-deleted';
  return document.isSuperseded ? 'superseded' : 'current';
}

/** What the last import gave that said something of it. */
interface Given {
  /** Null for everybody. */
  readonly filter: ChunkFilter | null;
  readonly validity: { readonly from: Date | null; readonly until: Date | null };
}

export async function readGiven({ tx, hostId }: HostScope, documentId: string): Promise<Given> {
  const [document] = await rowsOf<{ filter: ChunkFilter | null; from: Date | null; until: Date | null }>(tx)`
    select filter, valid_from as "from", valid_until as "until" from documents
    where host_id = ${hostId} and id = ${documentId}`;
  const { filter = null, from = null, until = null } = document ?? {};
  return { filter, validity: { from, until } };
}

/** Sets when the document and each of its passages is valid. */
export async function setDocumentValidity(
  scope: HostScope,
  documentId: string,
  validity: Validity,
): Promise<void> {
  const { tx, hostId } = scope;
  await rowsOf(tx)`
    update documents set ${validityColumns(validity)} where host_id = ${hostId} and id = ${documentId}`;
  const chunks = await rowsOf<{ id: string }>(tx)`
    select id from chunks where host_id = ${hostId} and document_id = ${documentId}`;
  await setValidity(
    scope,
    chunks.map(({ id }) => id),
    validity,
  );
}

export async function readPassages({ tx, hostId }: HostScope, documentId: string): Promise<StoredPassage[]> {
  return rowsOf<StoredPassage>(tx)`
    select id, md5(${textOfChunk}) as hash, length(${textOfChunk}) as length, coalesce(place, '') as place, filter, deleted from chunks chunk
    where host_id = ${hostId} and document_id = ${documentId}`;
}

/** Passages in one statement: thousands would take longer than a statement may, because each is in the index of words. */
const WRITTEN_AT_ONCE = 500;

/** Returns the passages as they were when they were deleted. */
export async function deletePassages(
  { tx, hostId }: HostScope,
  ids: readonly string[],
): Promise<Pick<StoredPassage, 'filter'>[]> {
  const deleted: Pick<StoredPassage, 'filter'>[] = [];
  for (let at = 0; at < ids.length; at += WRITTEN_AT_ONCE) {
    const some = ids.slice(at, at + WRITTEN_AT_ONCE);
    const rows = await rowsOf<Pick<StoredPassage, 'filter'>>(tx)`
      delete from chunks where host_id = ${hostId} and id = any (${some}::uuid[]) returning filter`;
    deleted.push(...rows);
  }
  return deleted;
}

/** Renumbers passages: a page that was added moves those after it. */
export async function movePassages(
  { tx, hostId }: HostScope,
  moved: readonly { readonly id: string; readonly place: string }[],
): Promise<void> {
  for (let at = 0; at < moved.length; at += WRITTEN_AT_ONCE) {
    const some = moved.slice(at, at + WRITTEN_AT_ONCE);
    const [ids, places] = [some.map(({ id }) => id), some.map(({ place }) => place)];
    await rowsOf(tx)`
      update chunks chunk set place = new_place.place
      from unnest(${ids}::uuid[], ${places}::text[]) new_place (id, place)
      where chunk.host_id = ${hostId} and chunk.id = new_place.id`;
  }
}

export async function setFilter(
  { tx, hostId }: HostScope,
  ids: readonly string[],
  filter: ChunkFilter,
): Promise<void> {
  for (let at = 0; at < ids.length; at += WRITTEN_AT_ONCE) {
    const some = ids.slice(at, at + WRITTEN_AT_ONCE);
    await rowsOf(tx)`
      update chunks set filter = ${storedFilterOf(filter)}::jsonb
      where host_id = ${hostId} and id = any (${some}::uuid[])`;
  }
}

/** Stores the new state of the document. One that has an address no more is not read again. */
export async function updateDocument(
  scope: HostScope,
  documentId: string,
  {
    name,
    mediaType,
    url,
    filter,
    validity,
    passages,
  }: {
    readonly name: string;
    readonly mediaType: string;
    readonly url: string | null;
    readonly filter: ChunkFilter | undefined;
    readonly validity: Validity;
    readonly passages: number;
  },
): Promise<void> {
  const { tx, hostId } = scope;
  if (url === null) await setRefresh(scope, documentId, null);
  await rowsOf(tx)`
    update documents set name = ${name}, media_type = ${mediaType}, url = ${url}, filter = ${storedFilterOf(filter)}::jsonb,
      passages = ${passages}, ${validityColumns(validity)}, updated_at = now()
    where host_id = ${hostId} and id = ${documentId}`;
}
