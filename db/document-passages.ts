import { rowsOf } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

export interface StoredPassage {
  readonly id: string;
  /** MD5 of the content, in hexadecimal. */
  readonly hash: string;
  readonly place: string;
}

/**
 * Locks the document until the transaction ends. False where it or its dataset was deleted, or a later import of it has
 * ended already.
 */
export async function lockDocument(
  { tx, hostId }: HostScope,
  { documentId, importId }: { readonly documentId: string; readonly importId: string },
): Promise<'current' | 'dataset-deleted' | 'superseded' | undefined> {
  const [document] = await rowsOf<{ isDeleted: boolean; isSuperseded: boolean }>(tx)`
    select dataset.deleted as "isDeleted", exists (
      select from document_imports import
      join document_imports newer on newer.host_id = import.host_id and newer.document_id = import.document_id
        and newer.number > import.number and newer.ended_at is not null and newer.reason is null
      where import.host_id = ${hostId} and import.id = ${importId}) as "isSuperseded"
    from documents document
    join datasets dataset on dataset.host_id = document.host_id and dataset.id = document.dataset_id
    where document.host_id = ${hostId} and document.id = ${documentId} and not document.deleted
    for no key update of document`;
  if (!document) return undefined;
  if (document.isDeleted) return 'dataset-deleted';
  return document.isSuperseded ? 'superseded' : 'current';
}

export async function readPassages({ tx, hostId }: HostScope, documentId: string): Promise<StoredPassage[]> {
  return rowsOf<StoredPassage>(tx)`
    select id, md5(content) as hash, coalesce(place, '') as place from chunks
    where host_id = ${hostId} and document_id = ${documentId} and not deleted`;
}

/** In one statement: thousands would take longer than a statement may. */
const DELETED_AT_ONCE = 500;

export async function deletePassages({ tx, hostId }: HostScope, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += DELETED_AT_ONCE) {
    const some = ids.slice(at, at + DELETED_AT_ONCE);
    await rowsOf(tx)`delete from chunks where host_id = ${hostId} and id = any (${some}::uuid[])`;
  }
}

/** Pages are counted anew where one was added before them. */
export async function movePassages(
  { tx, hostId }: HostScope,
  moved: readonly Pick<StoredPassage, 'id' | 'place'>[],
): Promise<void> {
  const [ids, places] = [moved.map(({ id }) => id), moved.map(({ place }) => place)];
  await rowsOf(tx)`
    update chunks chunk set place = moved.place
    from unnest(${ids}::uuid[], ${places}::text[]) moved (id, place)
    where chunk.host_id = ${hostId} and chunk.id = moved.id`;
}

/** What the document is from now on. */
export async function updateDocument(
  { tx, hostId }: HostScope,
  documentId: string,
  {
    name,
    mediaType,
    url,
    passages,
  }: {
    readonly name: string;
    readonly mediaType: string;
    readonly url: string | null;
    readonly passages: number;
  },
): Promise<void> {
  await rowsOf(tx)`
    update documents set name = ${name}, media_type = ${mediaType}, url = ${url}, passages = ${passages},
      updated_at = now()
    where host_id = ${hostId} and id = ${documentId}`;
}
