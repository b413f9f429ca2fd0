import type { Scans } from '../../queues/contract/operations/document-shape.ts';
import { jsonOf, rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** A page of a document that a model has read, by the picture that it saw. */
export interface ScannedPage {
  readonly page: number;
  readonly hash: string;
}

/** Returns what a model read in this picture for the document, on whatever page; undefined if none has. */
export async function findScannedText(
  { tx, hostId }: HostScope,
  documentId: string,
  hash: string,
): Promise<string | undefined> {
  const [found] = await rowsOf<{ text: string }>(tx)`
    select text from scanned_pages where host_id = ${hostId} and document_id = ${documentId} and hash = ${hash} limit 1`;
  return found?.text;
}

/** Stores nothing for a document that was deleted meanwhile. */
export async function storeScannedText(
  { tx, hostId }: HostScope,
  documentId: string,
  { page, hash }: ScannedPage,
  text: string,
): Promise<void> {
  await rowsOf(tx)`
    insert into scanned_pages (host_id, document_id, page, hash, text)
    select host_id, id, ${page}, ${hash}, ${text} from documents
    where host_id = ${hostId} and id = ${documentId} and not deleted
    on conflict do nothing`;
}

/** Says whether a model reads the scanned pages of a document. */
export async function setReadsScans(
  { tx, hostId }: HostScope,
  documentId: string,
  readsScans: boolean,
): Promise<void> {
  await rowsOf(tx)`
    update documents set read_scans = ${readsScans}
    where host_id = ${hostId} and id = ${documentId} and read_scans <> ${readsScans}`;
}

/** Says of which scanned pages the passages of the document are, and forgets the others. */
export async function setScans(
  { tx, hostId }: HostScope,
  documentId: string,
  { scans, pages }: { readonly scans?: Scans | undefined; readonly pages: readonly ScannedPage[] },
): Promise<void> {
  const told = scans ? jsonOf(scans) : null;
  await rowsOf(tx)`
    update documents set scans = ${told}::jsonb
    where host_id = ${hostId} and id = ${documentId} and scans is distinct from ${told}::jsonb`;
  await rowsOf(tx)`
    with kept as (
      update scanned_pages scanned set stored = true
      from jsonb_to_recordset(${jsonOf(pages)}::jsonb) as now_read (page integer, hash text)
      where scanned.host_id = ${hostId} and scanned.document_id = ${documentId}
        and scanned.page = now_read.page and scanned.hash = now_read.hash
      returning scanned.page, scanned.hash
    )
    delete from scanned_pages scanned where scanned.host_id = ${hostId} and scanned.document_id = ${documentId}
      and not exists (select from kept where kept.page = scanned.page and kept.hash = scanned.hash)`;
}
