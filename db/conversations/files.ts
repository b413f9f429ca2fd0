import type { Db } from '../connection.ts';
import { deleteInBatches } from '../row-batch.ts';
import { type Fragment, rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/*
 * Files of conversations, which `platform/file-seal.ts` seals. A row is a whole file, or is not there:
 *
 *   a staff member's: waiting, stored by web --its message is stored--> of a message
 *   one sent in a turn, where the host keeps it: of a turn, stored with the question that it is part of
 *
 * Both go with the conversation, and with the texts of its time; one of a turn after the days of the host, one that waits after
 * minutes. Above the quota of the host one of a turn is named, and has no content.
 */

/** Limits what a host has waiting at a time. */
const MAX_WAITING_BYTES = 1_073_741_824;
/** Longer than any request: the message of an older one was never stored. */
const WAITING_MINUTES = 15;
/** A file has up to 8,192 rows of its own, so that a batch of these takes about a second. */
const PURGE_BATCH_SIZE = 20;

const waits = sql`files.message_seq is null and files.turn_id is null`;

export interface NewFile {
  readonly id: string;
  readonly name: string | undefined;
  readonly size: number;
  readonly sealedKey: string;
  /** All its sealed bytes, or the beginning of those in an object. */
  readonly content: Buffer;
  /** The object that has the sealed bytes; undefined: the database has them. */
  readonly objectId?: string | undefined;
}

interface KeptFile extends NewFile {
  readonly mediaType: string;
  readonly transcript: string | undefined;
  readonly kept: boolean;
}

type FileRefusal = 'attachments-waiting' | 'files-full';

/** Returns why these files of a staff member are not taken, if so. */
export async function findFileRefusal(
  { tx, hostId }: HostScope,
  files: readonly FileSize[],
): Promise<FileRefusal | undefined> {
  const [found] = await rowsOf<{ waiting: string; isRoom: boolean }>(tx)`
    select (select coalesce(sum(size), 0) from files where host_id = ${hostId} and ${waits}) as waiting,
      ${isRoomFor(hostId, files)} as "isRoom"`;
  if (Number(found?.waiting) >= MAX_WAITING_BYTES) return 'attachments-waiting';
  return found?.isRoom ? undefined : 'files-full';
}

/** Returns why it stores nothing, if so. A repeat of a request stores nothing more. */
export async function insertWaitingFiles(
  scope: HostScope,
  conversationId: string,
  files: readonly NewFile[],
): Promise<FileRefusal | undefined> {
  const { tx, hostId } = scope;
  const refusal = await findFileRefusal(scope, files);
  if (refusal) return refusal;
  for (const [place, { id, name, size, sealedKey, content, objectId }] of files.entries())
    await rowsOf(tx)`
      insert into files (host_id, id, conversation_id, place, name, size, sealed_key, content, object_id)
      select ${hostId}, ${id}, id, ${place}, ${name ?? null}, ${size}, ${sealedKey}, ${content}, ${objectId ?? null}
      from conversations where host_id = ${hostId} and id = ${conversationId}
      on conflict (host_id, id) do update set created_at = now() where ${waits}`;
  return undefined;
}

type FileSize = Pick<NewFile, 'id' | 'size'>;

export async function hasRoom({ tx, hostId }: HostScope, files: readonly FileSize[]): Promise<boolean> {
  const [found] = await rowsOf<{ isRoom: boolean }>(tx)`select ${isRoomFor(hostId, files)} as "isRoom"`;
  return found?.isRoom ?? false;
}

/** Files that come at the same time may go over the quota together; one that is stored again counts once. */
function isRoomFor(hostId: string, files: readonly FileSize[]): Fragment {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return sql`(
    select coalesce(sum(size), 0) + ${bytes}::bigint <= (select files_quota_mb from hosts where id = ${hostId}) * 1048576::bigint
    from files where host_id = ${hostId} and kept and id <> all (${files.map(({ id }) => id)}::uuid[]))`;
}

export interface WaitingFile {
  readonly id: string;
  readonly name: string | null;
  readonly size: number;
  readonly sealedKey: string;
  readonly start: Buffer;
}

/** Locks the waiting files of a message, in this order; undefined if one is missing. */
export async function lockWaitingFiles(
  { tx, hostId }: HostScope,
  conversationId: string,
  ids: readonly string[],
  sliceBytes: number,
): Promise<WaitingFile[] | undefined> {
  const found = await rowsOf<WaitingFile>(tx)`
    select id, name, size, sealed_key as "sealedKey", substring(content from 1 for ${sliceBytes}::integer) as start
    from files where host_id = ${hostId} and conversation_id = ${conversationId} and id = any (${[...ids]}::uuid[])
      and ${waits}
    order by place for update`;
  return found.length === ids.length ? found : undefined;
}

export async function attachFile(
  { tx, hostId }: HostScope,
  { id, seq, mediaType }: { readonly id: string; readonly seq: string; readonly mediaType: string },
): Promise<void> {
  await rowsOf(tx)`
    update files set message_seq = ${seq}::bigint, media_type = ${mediaType}, created_at = now(),
      content = case when object_id is null then content else '' end
    where host_id = ${hostId} and id = ${id}`;
}

/** Must be called in the transaction that stores the question. A run again has the same files. */
export async function keepFile(
  { tx, hostId }: HostScope,
  { conversationId, turnId, place }: FilePlace,
  { id, name, mediaType, size, transcript, kept, sealedKey, content, objectId }: KeptFile,
): Promise<void> {
  await rowsOf(tx)`
    insert into files (host_id, id, conversation_id, turn_id, place, name, media_type, size, transcript, kept, sealed_key, content,
      object_id)
    values (${hostId}, ${id}, ${conversationId}, ${turnId}, ${place}, ${name ?? null}, ${mediaType}, ${size},
      ${transcript ?? null}, ${kept}, ${sealedKey}, ${content}, ${objectId ?? null})
    on conflict (host_id, id) do update set turn_id = excluded.turn_id`;
}

interface FilePlace {
  readonly conversationId: string;
  readonly turnId: string;
  /** Among the attachments of the turn. */
  readonly place: number;
}

export interface StoredFile {
  readonly name: string | null;
  readonly mediaType: string;
  readonly size: number;
  readonly sealedKey: string;
  readonly objectId: string | null;
}

/** Undefined also for a file that waits, and for one that is only named. */
export async function findFile({ tx, hostId }: HostScope, id: string): Promise<StoredFile | undefined> {
  return rowOf<StoredFile>(tx)`
    select name, media_type as "mediaType", size, sealed_key as "sealedKey", object_id as "objectId"
    from files where host_id = ${hostId} and id = ${id} and kept and not (${waits})`;
}

/** Reads sealed slices that follow each other; undefined if the file is gone. */
export async function readSealedSlices(
  { tx, hostId }: HostScope,
  id: string,
  { from, count, sliceBytes }: { readonly from: number; readonly count: number; readonly sliceBytes: number },
): Promise<Buffer | undefined> {
  const slices = await rowsOf<{ bytes: Buffer }>(tx)`
    select substring(content from start + 1 for ${sliceBytes}::integer) as bytes
    from files cross join lateral generate_series(${from * sliceBytes}::integer,
      least(octet_length(content), ${(from + count) * sliceBytes}::integer) - 1, ${sliceBytes}::integer) start
    where host_id = ${hostId} and id = ${id} order by start`;
  return slices.length > 0 ? Buffer.concat(slices.map(({ bytes }) => bytes)) : undefined;
}

export interface ListedFile {
  readonly id: string;
  readonly name: string | null;
  readonly content_type: string;
  readonly size: number;
  readonly kept: boolean;
  readonly transcript: string | null;
}

/** The files of messages of a conversation as JSON, by `message_key`: the number of the message, or the turn. */
export function filesByMessage(hostId: string, conversationId: string): Fragment {
  return sql`(
    select coalesce(message_seq::text, turn_id) as message_key, json_agg(json_build_object('id', id, 'name', name,
      'content_type', media_type, 'size', size, 'kept', kept, 'transcript', transcript) order by place) as attachments
    from files where host_id = ${hostId} and conversation_id = ${conversationId} and not (${waits})
    group by 1)`;
}

/** Deletes what was never sent, what its host keeps no longer, and what is older than texts may be. Works as the owner. */
export function purgeFiles(db: Db, retentionDays: number | undefined): Promise<number> {
  const isOlder = (days: Fragment) => sql`created_at < now() - ${days} * interval '1 day'`;
  return deleteInBatches(db, {
    table: sql`files`,
    where: sql`(${waits} and created_at < now() - ${WAITING_MINUTES} * interval '1 minute'
      or turn_id is not null and ${isOlder(sql`(select keep_attachments from hosts where hosts.id = files.host_id)`)}
      ${retentionDays === undefined ? sql`` : sql`or ${isOlder(sql`${retentionDays}::integer`)}`})`,
    limit: PURGE_BATCH_SIZE,
  });
}
