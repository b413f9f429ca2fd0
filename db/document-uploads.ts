import type { Db } from './connection.ts';
import { rowsOf } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

/** Of all documents of a host that wait to be imported. */
const MAX_WAITING_BYTES = 1_073_741_824;
/** Longer than any request: an upload without an import is of one that failed. */
const KEPT_MINUTES = 15;
const PURGE_BATCH_SIZE = 100;

/** Keeps the bytes for an import, and returns their id; undefined where the host has too many waiting. */
export async function insertUpload({ tx, hostId }: HostScope, content: Buffer): Promise<string | undefined> {
  const [upload] = await rowsOf<{ id: string }>(tx)`
    insert into document_uploads (host_id, content)
    select ${hostId}, ${content}
    where (select coalesce(sum(octet_length(content)), 0) from document_uploads where host_id = ${hostId})
      < ${MAX_WAITING_BYTES}
    returning id`;
  return upload?.id;
}

/** Whether it is still there; locked until the transaction ends. */
export async function hasUpload({ tx, hostId }: HostScope, id: string): Promise<boolean> {
  const found = await rowsOf(tx)`
    select id from document_uploads where host_id = ${hostId} and id = ${id} for share`;
  return found.length > 0;
}

export async function readUpload({ tx, hostId }: HostScope, id: string): Promise<Buffer | undefined> {
  const [upload] = await rowsOf<{ content: Buffer }>(tx)`
    select content from document_uploads where host_id = ${hostId} and id = ${id}`;
  return upload?.content;
}

/** Deletes those of all hosts that no import waits for. Works as the owner. */
export async function purgeUploads(db: Db): Promise<number> {
  const gone = await rowsOf(db)`
    delete from document_uploads where (host_id, id) in (
      select upload.host_id, upload.id from document_uploads upload
      where created_at < now() - ${KEPT_MINUTES} * interval '1 minute' and not exists (
        select from document_imports import
        where import.host_id = upload.host_id and import.upload_id = upload.id and import.ended_at is null)
      limit ${PURGE_BATCH_SIZE} for update skip locked
    ) returning id`;
  return gone.length;
}
