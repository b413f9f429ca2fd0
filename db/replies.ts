import type { Db } from './connection.ts';
import { deleteInBatches } from './row-batch.ts';
import { type Fragment, jsonOf, returnsRow, rowOf, rowsOf, sql } from './rows-of.ts';
import type { HostScope, HostsScope } from './with-hosts.ts';

/** The outcome of a job; this folder reads only its code. */
export interface StoredOutcome {
  readonly code: number;
}

export interface NewReply {
  readonly jobId: string;
  readonly operation: string;
  /** The caller's idempotency key, and the digest of the body (column `body_hash`) that tells a retry from another request. */
  readonly key?: string | undefined;
  readonly bodyMac?: string | undefined;
  readonly outcome: StoredOutcome;
  /** Column `kept`. False: the reply only reports how the job ended, and a later run may replace it. */
  readonly isFinal: boolean;
  readonly ttlMs?: number;
  /** The row that the reply depends on: a write to that row deletes the reply. */
  readonly about?: string | undefined;
}

/** The tables that a cached reply can depend on. */
export type Subject = 'avatars' | 'conversations';

export interface Reply {
  readonly hostId: string;
  readonly jobId: string;
  readonly operation: string;
  readonly key: string | null;
  readonly bodyMac: string | null;
  readonly code: number;
  readonly isFinal: boolean;
  readonly outcome: StoredOutcome;
  readonly expiresAt: Date;
}

const DEFAULT_TTL_MS = 600_000;
const PURGE_BATCH_SIZE = 2_000;

/**
 * Stores the outcome of a job for all hosts of the scope, in the transaction of its effect. Returns false if the job has a
 * reply already: a final reply stays until it expires.
 */
export async function insertReply({ tx, hostIds }: HostsScope, reply: NewReply): Promise<boolean> {
  const inserted = await rowsOf(tx)`${storeReply(hostIds, reply, sql`(values (1)) once`)}`;
  return inserted.length > 0;
}

/** Does what `insertReply` does for each of several jobs of one host, in one statement. Returns how many were stored. */
export async function insertReplies(
  { tx, hostId }: HostScope,
  replies: readonly NewReply[],
): Promise<number> {
  const rows = replies.map(
    ({ jobId, operation, key, bodyMac, outcome, isFinal, ttlMs = DEFAULT_TTL_MS, about }) => {
      const sent = { job_id: jobId, operation, key, body_hash: bodyMac, about };
      return { ...sent, code: outcome.code, kept: isFinal, outcome, ttl_ms: ttlMs };
    },
  );
  // The outcome stays json, because jsonb changes the order of fields and the spelling of numbers.
  const inserted = await rowsOf(tx)`
    insert into replies (host_id, job_id, operation, key, body_hash, code, kept, outcome, expires_at, about)
    select ${hostId}, job_id, operation, key, body_hash, code, kept, outcome,
      now() + ttl_ms * interval '1 millisecond', about
    from json_to_recordset(${jsonOf(rows)}::json) new_reply (job_id text, operation text, key text, body_hash text,
      code integer, kept boolean, outcome json, ttl_ms double precision, about uuid)
    ${replaceReply}`;
  return inserted.length;
}

/** A step of a statement that does what `insertReply` does, if `cause` has a row. */
export function storeReply(hostIds: readonly string[], reply: NewReply, cause: Fragment): Fragment {
  const [hostId, ...alsoHosts] = hostIds.toSorted();
  if (hostId === undefined) throw new Error('the scope has no host');
  const { jobId, operation, key, bodyMac, outcome, isFinal, ttlMs = DEFAULT_TTL_MS, about } = reply;
  return sql`
    insert into replies (host_id, job_id, operation, key, body_hash, code, kept, outcome, expires_at, about,
      also_hosts)
    select ${hostId}::uuid, ${jobId}::text, ${operation}::text, ${key ?? null}::text, ${bodyMac ?? null}::text,
      ${outcome.code}::integer, ${isFinal}::boolean, ${jsonOf(outcome)}::json,
      now() + ${ttlMs}::double precision * interval '1 millisecond', ${about ?? null}::uuid, ${alsoHosts}::uuid[]
    from ${cause}
    ${replaceReply}`;
}

const replaceReply = sql`
    on conflict (host_id, job_id) do update
      set operation = excluded.operation, key = excluded.key, body_hash = excluded.body_hash,
        code = excluded.code, kept = excluded.kept, outcome = excluded.outcome, expires_at = excluded.expires_at,
        about = excluded.about, also_hosts = excluded.also_hosts, created_at = now()
      where replies.expires_at <= now() or not replies.kept
    returning job_id`;

/**
 * Locks the row against writes until the transaction ends: data that is read from now on stays valid, and the next write
 * deletes a reply that is stored with it. Returns false, without waiting, if the row is missing or locked.
 */
export async function lockSubject({ tx, hostId }: HostScope, subject: Subject, id: string): Promise<boolean> {
  const table = { avatars: sql`avatars`, conversations: sql`conversations` }[subject];
  return returnsRow(tx)`
    select id from ${table} where host_id = ${hostId} and id = ${id} for share skip locked`;
}

/** Finds the reply of the job, if the scope has all its hosts and it has not expired. */
export async function findReplyOfJob({ tx, hostIds }: HostsScope, jobId: string): Promise<Reply | undefined> {
  return rowOf<Reply>(tx)`
    select host_id as "hostId", job_id as "jobId", operation, key, body_hash as "bodyMac", code, kept as "isFinal", outcome,
      expires_at as "expiresAt"
    from replies
    where host_id = any (${hostIds}::uuid[]) and also_hosts <@ ${hostIds}::uuid[] and job_id = ${jobId}
      and expires_at > now()`;
}

/** Reads when the job's reply was stored. Another reply, of a key that is used again, has another time. */
export async function readReplyTime({ tx, hostId }: HostScope, jobId: string): Promise<string | undefined> {
  const [reply] = await rowsOf<{ at: string }>(tx)`
    select extract(epoch from created_at)::text as at from replies where host_id = ${hostId} and job_id = ${jobId}`;
  return reply?.at;
}

/** Like `findReplyOfJob`, but waits for a turn of this job that is being committed; rejects if that takes longer. */
export async function findReplyOfJobOnceCommitted(
  scope: HostsScope,
  jobId: string,
  withinMs: number,
): Promise<Reply | undefined> {
  const { tx, hostIds } = scope;
  await rowsOf(tx)`select set_config('lock_timeout', ${`${withinMs}ms`}, true)`;
  await rowsOf(
    tx,
  )`select from turns where host_id = any (${hostIds}::uuid[]) and ${isTurnOfJob(jobId)} for share`;
  return findReplyOfJob(scope, jobId);
}

/** Whether a turn of the job is being processed. A long commit locks the turn's row, and outlasts its lease. */
export async function isTurnRunning({ tx, hostIds }: HostsScope, jobId: string): Promise<boolean> {
  return returnsRow(tx)`
    with unlocked_turn as (
      select id from turns where host_id = any (${hostIds}::uuid[]) and ${isTurnOfJob(jobId)} for share skip locked
    )
    select from turns where host_id = any (${hostIds}::uuid[]) and ${isTurnOfJob(jobId)} and state = 'running'
      and (lease_until > statement_timestamp() or id not in (select id from unlocked_turn))`;
}

/** The first turn of a job has the job's id; a later turn adds a point and the milliseconds of its arrival. */
export function isTurnOfJob(jobId: string): Fragment {
  // The range uses the index, in every collation.
  return sql`(turns.id between ${jobId} and ${`${jobId}.9`} and split_part(turns.id, '.', 1) = ${jobId})`;
}

/** Deletes expired replies of all hosts and returns their number. Works as the owner. */
export function purgeExpiredReplies(db: Db): Promise<number> {
  return deleteInBatches(db, {
    table: sql`replies`,
    where: sql`expires_at <= now()`,
    limit: PURGE_BATCH_SIZE,
  });
}
