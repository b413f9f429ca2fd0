import { rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import type { OpenImport } from './document-imports.ts';

export interface StoredPassage {
  readonly id: string;
  /** MD5 of the content, in hexadecimal. */
  readonly hash: string;
  readonly place: string;
}

/** Locks the document until the transaction ends, and reads its state then. */
export async function lockDocument(
  scope: HostScope,
  order: Pick<OpenImport, 'id' | 'documentId'>,
): Promise<DocumentState | undefined> {
  await rowsOf(scope.tx)`
    select from documents where host_id = ${scope.hostId} and id = ${order.documentId} for no key update`;
  // A statement of its own: that of the lock does not see what was committed while it waited.
  return readDocumentState(scope, order);
}

export type DocumentState = 'current' | 'dataset-deleted' | 'superseded';

/** As an import of it finds it; undefined where it was deleted. `superseded`: a later import has ended well already. */
export async function readDocumentState(
  { tx, hostId }: HostScope,
  { id: importId, documentId }: Pick<OpenImport, 'id' | 'documentId'>,
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
