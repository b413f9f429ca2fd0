import type { Db } from '../connection.ts';
import { REHEARSAL_PLATFORM } from '../conversations/conversations.ts';
import { deleteBatch, type RowBatch, repeatFull } from '../row-batch.ts';
import { jsonOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** Replaces the cases of an avatar; an empty list deletes them. */
export async function setEvaluationCases(
  { tx, hostId }: HostScope,
  avatarId: string,
  cases: readonly unknown[],
): Promise<void> {
  if (cases.length === 0) {
    await rowsOf(tx)`delete from evaluation_cases where host_id = ${hostId} and avatar_id = ${avatarId}`;
    return;
  }
  await rowsOf(tx)`
    insert into evaluation_cases (host_id, avatar_id, cases) values (${hostId}, ${avatarId}, ${jsonOf(cases)})
    on conflict (host_id, avatar_id) do update set cases = excluded.cases, updated_at = now()`;
}

/** Reads the cases in order; none for an avatar without any. */
export async function readEvaluationCases<Case>(
  { tx, hostId }: HostScope,
  avatarId: string,
): Promise<readonly Case[]> {
  const [row] = await rowsOf<{ cases: Case[] }>(tx)`
    select cases from evaluation_cases where host_id = ${hostId} and avatar_id = ${avatarId}`;
  return row?.cases ?? [];
}

export async function listEvaluatedReaders({ tx, hostId }: HostScope, datasetId: string): Promise<string[]> {
  const readers = await rowsOf<{ id: string }>(tx)`
    select distinct avatar_id as id from readable_datasets
    where host_id = ${hostId} and dataset_id = ${datasetId}
      and avatar_id in (select avatar_id from evaluation_cases where host_id = ${hostId})
    order by 1`;
  return readers.map(({ id }) => id);
}

/** Identifies a state of the configuration of these avatars. */
export interface ConfigurationMark {
  readonly avatarIds: readonly string[];
  readonly since: string;
  readonly changes: string;
}

/** No transaction of the service that changes a configuration is longer. */
const LONGEST_TRANSACTION = '10 minutes';

export async function markConfiguration(
  scope: HostScope,
  avatarIds: readonly string[],
): Promise<ConfigurationMark> {
  const [now] = await rowsOf<{ since: string }>(scope.tx)`
    select (now() - ${LONGEST_TRANSACTION}::interval)::text as since`;
  const since = now?.since ?? '';
  const ids = [...new Set(avatarIds)];
  return { avatarIds: ids, since, changes: await countChanges(scope, ids, since) };
}

/** Whether nothing has changed since. Until the transaction ends, other saves that ask this for these avatars wait. */
export async function isConfigurationSame(
  scope: HostScope,
  { avatarIds, since, changes }: ConfigurationMark,
): Promise<boolean> {
  await rowsOf(scope.tx)`
    select from avatars where host_id = ${scope.hostId} and id = any (${avatarIds}::uuid[])
    order by id for no key update`;
  return (await countChanges(scope, avatarIds, since)) === changes;
}

/**
 * The audit has a row for each change, in the transaction of the change. Rows are only added, so their number and sum tell
 * which ones exist; the highest id would miss a row whose transaction commits after a later id's.
 */
async function countChanges(
  { tx, hostId }: HostScope,
  avatarIds: readonly string[],
  since: string,
): Promise<string> {
  const [row] = await rowsOf<{ changes: string }>(tx)`
    select count(*) || ' ' || coalesce(sum(id), 0) as changes from audit_entries entry
    where host_id = ${hostId} and created_at >= ${since}::timestamptz and case table_name
      when 'avatars' then row_id = any (${avatarIds}::text[])
      when 'chunks' then not exists (
        select from chunks
        where chunks.host_id = ${hostId} and chunks.id = entry.row_id::uuid and dataset_id not in (
          select dataset_id from readable_datasets
          where host_id = ${hostId} and avatar_id = any (${avatarIds}::uuid[])))
      when 'datasets' then exists (
        select from dataset_avatars link
        where link.host_id = ${hostId} and link.dataset_id = entry.row_id::uuid
          and link.avatar_id = any (${avatarIds}::uuid[]))
      when 'evaluation_cases' then row_id = any (${avatarIds}::text[])
      when 'dataset_avatars' then coalesce(after, before) ->> 'avatar_id' = any (${avatarIds}::text[])
      -- A row of a change of something else does not have the avatar.
      when 'flows' then exists (
        select from flows
        where flows.host_id = ${hostId} and flows.id = entry.row_id::uuid and avatar_id = any (${avatarIds}::uuid[]))
        or before ->> 'avatar_id' = any (${avatarIds}::text[])
      else table_name in ('hosts', 'agent_schemas', 'agents') end`;
  return row?.changes ?? '';
}

/** Opens a conversation for rehearsals and returns its id. */
export async function insertRehearsal({ tx, hostId }: HostScope): Promise<string> {
  const [inserted] = await rowsOf<{ id: string }>(tx)`
    insert into conversations (host_id, platform) values (${hostId}, ${REHEARSAL_PLATFORM}) returning id`;
  if (!inserted) throw new Error('The conversation was not stored.');
  return inserted.id;
}

/** A staff member may have tried to attend the conversation. */
const hasOnlyRehearsals = sql`not exists (
  select from messages
  where messages.host_id = conversations.host_id and conversation_id = conversations.id and not rehearsal
    and author in ('user', 'assistant'))`;

/** Deletes a conversation in which only rehearsals took place. */
export async function deleteRehearsal({ tx, hostId }: HostScope, conversationId: string): Promise<void> {
  await rowsOf(tx)`
    delete from conversations where host_id = ${hostId} and id = ${conversationId} and ${hasOnlyRehearsals}`;
}

const PURGE_BATCH_SIZE = 500;

/**
 * Deletes all hosts' conversations for rehearsals in which nothing was said for a day, because the text may be copied from an
 * end user's. Works as the owner; returns their number.
 */
export function purgeRehearsals(db: Db, signal?: AbortSignal): Promise<number> {
  const old: RowBatch = {
    table: sql`conversations`,
    where: sql`platform = ${REHEARSAL_PLATFORM}
      and coalesce(last_message_at, created_at) < now() - interval '1 day' and ${hasOnlyRehearsals}`,
    limit: PURGE_BATCH_SIZE,
  };
  return repeatFull(PURGE_BATCH_SIZE, () => deleteBatch(db, old), signal);
}
