import type { Db } from '../connection.ts';
import { deleteInBatches } from '../row-batch.ts';
import { returnsRow, rowOf, rowsOf, sql } from '../rows-of.ts';
import { readStoredBytes } from '../stored-bytes.ts';
import type { HostScope } from '../with-hosts.ts';

/** Limits all documents of a host that wait to be imported. */
const MAX_WAITING_BYTES = 1_073_741_824;
/** Longer than any request: an older upload without an import belongs to a failed one. */
const KEPT_MINUTES = 15;
const PURGE_BATCH_SIZE = 100;

/** The document of a request with an Idempotency-Key. */
export interface KeyedUpload {
  /** The id of the job, which is the same for each repeat. */
  readonly jobId: string;
  readonly digest: string;
}

/**
 * Stores the bytes for an import, and returns their id; undefined if the host has too many waiting. A repeat of a keyed request
 * stores nothing more: it gets the first one's id, even if the request is answered and needs no bytes.
 */
export async function insertUpload(
  scope: HostScope,
  content: Buffer,
  keyed?: KeyedUpload,
): Promise<string | undefined> {
  const { tx, hostId } = scope;
  const known = keyed && (await findKeyedUpload(scope, keyed));
  if (known?.isKept) return known.id;
  const [upload] = await rowsOf<{ id: string }>(tx)`
    insert into document_uploads as kept (host_id, id, content)
    select ${hostId}, coalesce(${known?.id ?? null}::uuid, gen_random_uuid()), ${content}
    where (select coalesce(sum(octet_length(content)), 0) from document_uploads where host_id = ${hostId})
      < ${MAX_WAITING_BYTES}
    on conflict (host_id, id) do update set created_at = now()
    returning id`;
  return upload?.id;
}

async function findKeyedUpload(
  { tx, hostId }: HostScope,
  { jobId, digest }: KeyedUpload,
): Promise<{ readonly id: string; readonly isKept: boolean } | undefined> {
  // The time until the purge begins anew.
  return rowOf<{ id: string; isKept: boolean }>(tx)`
    with keyed_upload as (select md5(${jobId}::text || ${digest}::text)::uuid as id), waiting_upload as (
      update document_uploads upload set created_at = now() from keyed_upload
      where upload.host_id = ${hostId} and upload.id = keyed_upload.id returning upload.id
    )
    select id, exists (select from waiting_upload) or exists (
      select from replies where host_id = ${hostId} and job_id = ${jobId} and kept and expires_at > now()
    ) as "isKept" from keyed_upload`;
}

/** Whether the upload still exists; locks it until the transaction ends. */
export async function hasUpload({ tx, hostId }: HostScope, id: string): Promise<boolean> {
  return returnsRow(tx)`
    select id from document_uploads where host_id = ${hostId} and id = ${id} for share`;
}

export function readUpload(scope: HostScope, id: string): Promise<Buffer | undefined> {
  return readStoredBytes(scope, sql`document_uploads`, id);
}

/** Deletes uploads of all hosts that no import waits for. Works as the owner. */
export function purgeUploads(db: Db): Promise<number> {
  return deleteInBatches(db, {
    table: sql`document_uploads`,
    where: sql`created_at < now() - ${KEPT_MINUTES} * interval '1 minute' and not exists (
      select from document_imports import
      where import.host_id = document_uploads.host_id and import.upload_id = document_uploads.id
        and import.ended_at is null)`,
    limit: PURGE_BATCH_SIZE,
  });
}
