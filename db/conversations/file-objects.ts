import { randomUUID } from 'node:crypto';
import type { Db } from '../connection.ts';
import { rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/*
 * Objects outside of PostgreSQL, in which sealed bytes of files lie. Each has a row here from before it is put there until a file
 * takes it, and again from when that file is deleted until the object is gone:
 *
 *   announced --> put --the row of the file is stored--> of a file --that is deleted--> due --> deleted
 *                     --nothing takes it for minutes--> due
 *
 * So a file has its object, and an object that nobody has is found, without a list of the bucket. Triggers of `files` do both steps
 * in the transactions that store and delete it.
 */

/** Longer than any request. */
const ANNOUNCED_MINUTES = 15;
/** Objects that are deleted at a time. */
const BATCH = 20;
/** A try may hang this long: then another process may try it. */
const TRY_MINUTES = 2;
const MAX_PAUSE_MINUTES = 60;

export interface FileObject {
  readonly hostId: string;
  readonly objectId: string;
}

/** Must be committed before the objects are put there. Returns their ids. */
export async function announceObjects({ tx, hostId }: HostScope, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  await rowsOf(tx)`
    insert into file_objects (host_id, object_id, due_at)
    select ${hostId}, id, now() + ${ANNOUNCED_MINUTES} * interval '1 minute' from unnest(${ids}::uuid[]) id`;
  return ids;
}

/** Takes due objects, which no file can take any more. Works as the owner. */
export async function takeDueObjects(db: Db): Promise<FileObject[]> {
  return rowsOf<FileObject>(db)`
    update file_objects
    set tries = tries + 1, due_at = now() + least(${TRY_MINUTES} + tries, ${MAX_PAUSE_MINUTES}) * interval '1 minute'
    where ctid = any (array(
      select ctid from file_objects where due_at <= now() order by due_at limit ${BATCH} for update skip locked))
    returning host_id as "hostId", object_id as "objectId"`;
}

export async function forgetObject(db: Db, { hostId, objectId }: FileObject): Promise<void> {
  await rowsOf(db)`delete from file_objects where host_id = ${hostId} and object_id = ${objectId}`;
}
