import type { Db } from '../connection.ts';
import { isTurnOfJob } from '../replies.ts';
import { deleteInBatches } from '../row-batch.ts';
import { rowsOf, sql } from '../rows-of.ts';
import { readStoredBytes } from '../stored-bytes.ts';
import type { HostScope } from '../with-hosts.ts';

/** Limits all waiting and running turns of a host. */
const MAX_WAITING_BYTES = 1_073_741_824;
/** Longer than any turn: older attachments belong to a failed turn that nobody has tried again. */
const KEPT_MINUTES = 15;
const PURGE_BATCH_SIZE = 100;

export interface NewAttachment {
  /** Undefined for an attachment at an address. */
  readonly content: Buffer | undefined;
  /** Equal for repeats of a request with an Idempotency-Key, and different for any other request. */
  readonly key: string | undefined;
}

export interface StoredAttachment {
  readonly content: Buffer | undefined;
  readonly transcript: string | null;
}

/**
 * Stores the attachments of a turn, and returns their ids in order; undefined if turns of the host have too much attached. A
 * repeat of a request with a key stores nothing more, even if the request is answered and needs no bytes.
 */
export async function insertAttachments(
  scope: HostScope,
  conversationId: string,
  attachments: readonly NewAttachment[],
  jobId: string | undefined,
): Promise<string[] | undefined> {
  const ids: string[] = [];
  for (const attachment of attachments) {
    const id = await insertAttachment(scope, conversationId, attachment, jobId);
    if (id === undefined) return undefined;
    ids.push(id);
  }
  return ids;
}

async function insertAttachment(
  { tx, hostId }: HostScope,
  conversationId: string,
  { content, key }: NewAttachment,
  jobId: string | undefined,
): Promise<string | undefined> {
  const [inserted] = await rowsOf<{ id: string }>(tx)`
    with new_attachment as (
      select coalesce(md5(${jobId ?? null}::text || ${key ?? null}::text)::uuid, gen_random_uuid()) as id
    ), answered_attachment as (
      select new_attachment.id from new_attachment join replies
        on host_id = ${hostId} and job_id = ${jobId ?? null} and kept and expires_at > now()
    ), stored_attachment as (
      insert into turn_attachments (host_id, id, conversation_id, content)
      select ${hostId}, new_attachment.id, ${conversationId}, ${content ?? null}::bytea from new_attachment
      where not exists (select from answered_attachment)
        and (select coalesce(sum(octet_length(content)), 0) from turn_attachments where host_id = ${hostId})
          < ${MAX_WAITING_BYTES}
      on conflict (host_id, id) do update set created_at = now(), content = excluded.content
      returning id
    )
    select id from stored_attachment union all select id from answered_attachment`;
  return inserted?.id;
}

export async function readAttachment(scope: HostScope, id: string): Promise<StoredAttachment | undefined> {
  const { tx, hostId } = scope;
  const [attachment] = await rowsOf<{ transcript: string | null }>(tx)`
    select transcript from turn_attachments where host_id = ${hostId} and id = ${id}`;
  return attachment && { ...attachment, content: await readStoredBytes(scope, sql`turn_attachments`, id) };
}

export async function storeTranscript(
  { tx, hostId }: HostScope,
  id: string,
  transcript: string,
): Promise<void> {
  await rowsOf(tx)`
    update turn_attachments set transcript = ${transcript} where host_id = ${hostId} and id = ${id}`;
}

interface EndedJob {
  readonly jobId: string;
  /** Set if the turn may be tried again, and need not pay for its words again. */
  readonly keepsTranscripts: boolean;
}

/** Must be called after the turn. Has no effect while another run, which has taken the turn over, needs them. */
export async function deleteAttachments(
  { tx, hostId }: HostScope,
  ids: readonly string[],
  { jobId, keepsTranscripts }: EndedJob,
): Promise<void> {
  const ended = sql`host_id = ${hostId} and id = any (${[...ids]}::uuid[]) and not exists (
    select from turns where host_id = ${hostId} and ${isTurnOfJob(jobId)} and state in ('waiting', 'running'))`;
  if (keepsTranscripts)
    await rowsOf(tx)`update turn_attachments set content = null where transcript is not null and ${ended}`;
  await rowsOf(tx)`
    delete from turn_attachments where not (${keepsTranscripts} and transcript is not null) and ${ended}`;
}

/** Deletes attachments that turns of all hosts left behind. Works as the owner. */
export function purgeAttachments(db: Db): Promise<number> {
  return deleteInBatches(db, {
    table: sql`turn_attachments`,
    where: sql`created_at < now() - ${KEPT_MINUTES} * interval '1 minute'`,
    limit: PURGE_BATCH_SIZE,
  });
}

/**
 * Marks the conversation of a turn that failed before its attachments were read. They were its question, so no message tells
 * that somebody wrote: the conversation is open again and waits for an answer, unless one came since.
 */
export async function markUnread({ tx, hostId }: HostScope, turnId: string): Promise<void> {
  await rowsOf(tx)`
    update conversations set unanswered_at = greatest(unanswered_at, unread.arrived_at), idle_due_at = null, closed = false,
      person_wrote_at = greatest(person_wrote_at, unread.arrived_at),
      reopened_at = case when closed then now() else reopened_at end, updated_at = now()
    from turns unread
    where conversations.host_id = ${hostId} and conversations.id = unread.conversation_id
      and unread.host_id = ${hostId} and unread.id = ${turnId}
      and unread.question is null and unread.failed_code is not null and not unread.rehearsal
      and not exists (
        select from messages answer
        left join turns answered on answered.host_id = answer.host_id and answered.id = answer.turn_id
        where answer.host_id = ${hostId} and answer.conversation_id = unread.conversation_id
          and answer.author in ('assistant', 'human')
          and coalesce(answered.arrived_at, answer.created_at) > unread.arrived_at)`;
}
