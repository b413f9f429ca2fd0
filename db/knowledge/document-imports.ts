import type { Scans } from '../../queues/contract/operations/document-shape.ts';
import type { Db } from '../connection.ts';
import { deleteInBatches } from '../row-batch.ts';
import { jsonOf, returnsRow, rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope, HostsScope } from '../with-hosts.ts';
import type { ChunkFilter } from './chunks.ts';
import type { Validity } from './validity.ts';

/*
 * Imports of documents. The rows are the truth: a job of the queue `documents` that is lost is added again while its import has
 * not ended. An import ends once, in the transaction that changes its passages.
 */

export interface NewImport {
  readonly id: string;
  readonly documentId: string;
  readonly name: string;
  readonly mediaType: string;
  readonly url?: string | undefined;
  readonly uploadId?: string | undefined;
  /** Undefined: filters stay as they are. Without keys, they are removed. */
  readonly filter?: ChunkFilter | undefined;
  readonly validity?: Validity | undefined;
  readonly token: { readonly id: string; readonly name: string };
}

export interface OpenImport {
  readonly id: string;
  readonly hostId: string;
  readonly documentId: string;
  readonly datasetId: string;
  readonly name: string;
  readonly mediaType: string;
  readonly url: string | null;
  /** The address from which the document's present passages came. */
  readonly lastUrl: string | null;
  readonly uploadId: string | null;
  /** The ordered filter; null if the order named none. */
  readonly filter: ChunkFilter | null;
  /** As ordered, its times as texts; null if the order named none. */
  readonly validity: { readonly from?: string | null; readonly until?: string | null } | null;
  /** Whether a model reads its scanned pages. */
  readonly readsScans: boolean;
  /** Ordered by the service itself, and not by a person. */
  readonly isAutomatic: boolean;
  /** The reason of the last import, if it was automatic as this one is and changed nothing. */
  readonly lastTrouble: string | null;
  /** What is known of its pages; null unless it is automatic. */
  readonly pages: readonly KnownPage[] | null;
  readonly tokenId: string;
  readonly tokenName: string;
  readonly attempts: number;
}

export interface Progress {
  readonly stage: ImportStage;
  readonly done: number;
  readonly total: number;
}
export type ImportStage = 'waiting' | 'fetching' | 'reading' | 'storing' | 'ended';

export interface ImportState extends Progress {
  readonly documentId: string;
  readonly reason: string | null;
  readonly added: number;
  readonly kept: number;
  readonly removed: number;
  readonly incomplete: NamedPages | null;
  readonly gone: NamedPages | null;
  readonly struck: number;
  readonly scans: Scans | null;
}

/** An import that has not ended, for the queue. */
export interface WaitingImport {
  readonly hostId: string;
  readonly id: string;
  readonly attempts: number;
  readonly share: number;
}

/** An import can be asked for this long after its end, and longer if it is the last one of its document. */
const KEPT_MINUTES = 10;
const PURGE_BATCH_SIZE = 1_000;
/** Limits one host, so that a host with many leaves room for others in the queue. */
const MAX_WAITING_OF_HOST = 50;

export async function insertImport({ tx, hostId }: HostScope, order: NewImport): Promise<void> {
  const { id, documentId, name, mediaType, url, uploadId, filter, validity, token } = order;
  await rowsOf(tx)`
    insert into document_imports (host_id, id, document_id, name, media_type, url, upload_id, filter, validity,
      token_id, token_name)
    values (${hostId}, ${id}, ${documentId}, ${name}, ${mediaType}, ${url ?? null}, ${uploadId ?? null},
      ${filter ? jsonOf(filter) : null}::jsonb, ${validity ? jsonOf(validity) : null}::jsonb, ${token.id}, ${token.name})`;
}

export async function countOpenImports({ tx, hostId }: HostScope): Promise<number> {
  const [found] = await rowsOf<{ count: number }>(tx)`
    select count(*)::integer as count from document_imports where host_id = ${hostId} and ended_at is null and not automatic`;
  return found?.count ?? 0;
}

/** Finds the oldest imports of each enabled host, those of people first. Works as the owner. */
export async function findWaitingImports(db: Db): Promise<WaitingImport[]> {
  return rowsOf<WaitingImport>(db)`
    select host.id as "hostId", import.id, import.attempts, host.share
    from hosts host cross join lateral (
      select id, attempts, automatic, created_at from document_imports import
      where import.host_id = host.id and ended_at is null order by automatic, created_at limit ${MAX_WAITING_OF_HOST}
    ) import
    where not host.disabled
    order by import.automatic, import.created_at`;
}

/** Returns the import, with this attempt counted; undefined if it has ended, its document was deleted or its host is disabled. */
export async function beginImport({ tx, hostId }: HostScope, id: string): Promise<OpenImport | undefined> {
  return rowOf<OpenImport>(tx)`
    update document_imports import set attempts = import.attempts + 1
    from documents document
    left join document_refreshes refresh on refresh.host_id = document.host_id and refresh.document_id = document.id
    where import.host_id = ${hostId} and import.id = ${id} and import.ended_at is null
      and document.host_id = import.host_id and document.id = import.document_id
      and not exists (select from hosts where hosts.id = import.host_id and disabled)
    returning import.id, import.host_id as "hostId", import.document_id as "documentId",
      document.dataset_id as "datasetId", import.name, import.media_type as "mediaType", import.url,
      document.url as "lastUrl", document.read_scans as "readsScans", import.upload_id as "uploadId", import.filter, import.validity,
      import.automatic as "isAutomatic", case when import.automatic then refresh.trouble ->> 'reason' end as "lastTrouble",
      case when import.automatic then refresh.pages end as pages,
      import.token_id as "tokenId", import.token_name as "tokenName", import.attempts`;
}

/** Returns false, and writes nothing, if a later attempt has begun, the document was deleted, or its host is disabled. */
export async function storeProgress(
  { tx, hostId }: HostScope,
  { id, attempts }: OpenImport,
  { stage, done, total }: Progress,
): Promise<boolean> {
  return returnsRow(tx)`
    update document_imports set stage = ${stage}, done = ${done}, total = ${total}
    where host_id = ${hostId} and id = ${id} and attempts = ${attempts} and ended_at is null
      and not exists (select from hosts where hosts.id = host_id and disabled)
    returning id`;
}

/** What a server said of a page when it was last read, and what was read. */
export interface KnownPage {
  readonly address: string;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  /** MD5 of its text, and of each of its passages. */
  readonly text: string;
  readonly passages: readonly string[];
}

/** Pages of a site: those that could not be read, or that are gone. */
export interface NamedPages {
  readonly count: number;
  /** The first pages. */
  readonly pages: string[];
}

export interface ImportEnd {
  readonly reason?: string | undefined;
  readonly counts?: { readonly added: number; readonly kept: number; readonly removed: number };
  readonly incomplete?: NamedPages | undefined;
  readonly gone?: NamedPages | undefined;
  readonly struck?: number;
  /** Absent without scanned pages. */
  readonly scans?: Scans | undefined;
}

/**
 * Returns false if the import has already ended. Deletes its upload, unless another import has it, too: an Idempotency-Key may
 * order the same bytes again while the first import waits.
 */
export async function endImport(
  { tx, hostId }: HostScope,
  id: string,
  { reason, incomplete, gone, struck = 0, scans, counts = { added: 0, kept: 0, removed: 0 } }: ImportEnd,
): Promise<boolean> {
  const [ended] = await rowsOf<{ uploadId: string | null }>(tx)`
    update document_imports set stage = 'ended', ended_at = clock_timestamp(), reason = ${reason ?? null},
      done = case when ${reason === undefined} then total else done end,
      added = ${counts.added}, kept = ${counts.kept}, removed = ${counts.removed},
      incomplete = ${incomplete ? jsonOf(incomplete) : null}::jsonb,
      gone = ${gone ? jsonOf(gone) : null}::jsonb, struck = ${struck},
      scans = ${scans ? jsonOf(scans) : null}::jsonb
    where host_id = ${hostId} and id = ${id} and ended_at is null
    returning upload_id as "uploadId"`;
  if (!ended) return false;
  await rowsOf(tx)`
    select from document_uploads where host_id = ${hostId} and id = ${ended.uploadId} for update`;
  // The lock has a statement of its own, which does not see an import that was ordered while it waited.
  await rowsOf(tx)`
    delete from document_uploads upload where host_id = ${hostId} and id = ${ended.uploadId} and not exists (
      select from document_imports other
      where other.host_id = upload.host_id and other.upload_id = upload.id and other.ended_at is null)`;
  return true;
}

export async function findImport({ tx, hostIds }: HostsScope, id: string): Promise<ImportState | undefined> {
  return rowOf<ImportState>(tx)`
    select document_id as "documentId", stage, done, total, reason, added, kept, removed, incomplete, gone, struck, scans
    from document_imports where host_id = any (${hostIds}::uuid[]) and id = ${id}`;
}

/** Forgets ended imports of all hosts, except the last one of each document. Works as the owner. */
export function purgeImports(db: Db): Promise<number> {
  return deleteInBatches(db, {
    table: sql`document_imports`,
    where: sql`ended_at < now() - ${KEPT_MINUTES} * interval '1 minute' and exists (
      select from document_imports newer
      where newer.host_id = document_imports.host_id and newer.document_id = document_imports.document_id
        and newer.number > document_imports.number)`,
    limit: PURGE_BATCH_SIZE,
  });
}
