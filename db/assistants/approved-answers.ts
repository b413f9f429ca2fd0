import type { DataOf } from '../../queues/contract/operations/index.ts';
import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

export type ApprovedAnswer = Omit<DataOf<'saveApprovedAnswer'>, 'unmatched' | 'deleted'>;
type Instants<T> = Omit<T, 'expires'> & { readonly expires: Date | null };

/** What a turn needs of one that may be the answer to its question. */
export type GivenAnswer = Pick<ApprovedAnswer, 'id' | 'questions' | 'answer' | 'dataset_id'>;

/** How its questions are read, so that few of them are compared with a question. */
export interface AskedKeys {
  readonly keys: readonly string[];
  readonly reader: number;
}

const isExpired = sql`coalesce(expires <= now(), false)`;
const columns = sql`id, host_id as "hostId", avatar_ids as "avatarIds", questions, answer, dataset_id,
    expires at time zone 'UTC' as expires, ${isExpired} as expired, enabled,
    created_at at time zone 'UTC' as "createdAt", updated_at at time zone 'UTC' as "updatedAt"`;

/** Lists the newest first. */
export async function listApprovedAnswers({ tx, hostId }: HostScope): Promise<ApprovedAnswer[]> {
  return rowsOf<ApprovedAnswer>(tx)`
    select ${columns} from approved_answers where host_id = ${hostId} and not deleted order by created_at desc, id`;
}

export async function findApprovedForUpdate(
  { tx, hostId }: HostScope,
  id: string,
): Promise<ApprovedAnswer | undefined> {
  const [found] = await rowsOf<ApprovedAnswer>(tx)`
    select ${columns} from approved_answers where host_id = ${hostId} and id = ${id} and not deleted for update`;
  return found;
}

type Saved = Instants<
  Pick<ApprovedAnswer, 'id' | 'avatarIds' | 'questions' | 'answer' | 'dataset_id' | 'expires' | 'enabled'>
>;

export async function upsertApproved(
  { tx, hostId }: HostScope,
  { id, avatarIds, questions, answer, dataset_id, expires, enabled }: Saved,
  { keys, reader }: AskedKeys,
): Promise<ApprovedAnswer> {
  const [saved] = await rowsOf<ApprovedAnswer>(tx)`
    insert into approved_answers as approved
      (host_id, id, avatar_ids, questions, asked_keys, reader, answer, dataset_id, expires, enabled)
    values (${hostId}, ${id}, ${avatarIds}::uuid[], ${questions}::text[], ${keys}::text[], ${reader}, ${answer},
      ${dataset_id}, ${expires}, ${enabled})
    on conflict (host_id, id) do update set avatar_ids = excluded.avatar_ids, questions = excluded.questions,
      asked_keys = excluded.asked_keys, reader = excluded.reader, answer = excluded.answer,
      dataset_id = excluded.dataset_id, expires = excluded.expires, enabled = excluded.enabled, updated_at = now()
    returning ${columns}`;
  if (!saved) throw new Error('The approved answer was not stored.');
  return saved;
}

export async function deleteApproved({ tx, hostId }: HostScope, id: string): Promise<void> {
  await rowsOf(tx)`
    update approved_answers set deleted = true, updated_at = now() where host_id = ${hostId} and id = ${id}`;
}

/** Whether the host has all of these avatars, and the dataset. */
export async function findMissing(
  { tx, hostId }: HostScope,
  avatarIds: readonly string[],
  datasetId: string | null,
): Promise<'avatar-not-found' | 'dataset-not-found' | undefined> {
  const [found] = await rowsOf<{ avatars: boolean; dataset: boolean }>(tx)`
    select not exists (select from unnest(${avatarIds}::uuid[]) wanted
        where wanted not in (select id from avatars where host_id = ${hostId} and not deleted)) as avatars,
      ${datasetId}::uuid is null or exists (
        select from datasets where host_id = ${hostId} and id = ${datasetId}::uuid and not deleted) as dataset`;
  if (!found?.avatars) return 'avatar-not-found';
  return found.dataset ? undefined : 'dataset-not-found';
}

/**
 * The answers of the avatar with a question of this key, as JSON; without a key none is looked at. Those that another version
 * of the reader has read are among them, whatever they are about.
 */
export function givenAnswersOf(
  hostId: string,
  avatarId: Fragment,
  key: string | undefined,
  reader: number,
): Fragment {
  return sql`(select coalesce(json_agg(row_to_json(given)), '[]') from (
    select id, questions, answer, dataset_id from approved_answers
    where ${key ?? null}::text is not null and host_id = ${hostId} and enabled and not deleted and not ${isExpired}
      and ${avatarId} = any (avatar_ids) and (reader <> ${reader} or ${key ?? ''} = any (asked_keys))
  ) given)`;
}
