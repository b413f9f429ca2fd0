import { jsonOf, rowsOf } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

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

/** In their order; none for an avatar without cases. */
export async function readEvaluationCases<Case>(
  { tx, hostId }: HostScope,
  avatarId: string,
): Promise<readonly Case[]> {
  const [row] = await rowsOf<{ cases: Case[] }>(tx)`
    select cases from evaluation_cases where host_id = ${hostId} and avatar_id = ${avatarId}`;
  return row?.cases ?? [];
}

/** The avatars with cases that read this dataset. */
export async function listEvaluatedReaders({ tx, hostId }: HostScope, datasetId: string): Promise<string[]> {
  const readers = await rowsOf<{ id: string }>(tx)`
    select distinct avatar_id as id from readable_datasets
    where host_id = ${hostId} and dataset_id = ${datasetId}
      and avatar_id in (select avatar_id from evaluation_cases where host_id = ${hostId})
    order by 1`;
  return readers.map(({ id }) => id);
}

/** Deletes a conversation in which only rehearsals took place. */
export async function deleteRehearsal({ tx, hostId }: HostScope, conversationId: string): Promise<void> {
  await rowsOf(tx)`
    delete from conversations where host_id = ${hostId} and id = ${conversationId} and not exists (
      select from messages
      where host_id = ${hostId} and conversation_id = ${conversationId} and not rehearsal)`;
}
