import type { DataOf } from '../../queues/contract/operations/index.ts';
import { type Fragment, rowsOf, sql, withoutNulls } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

export type ApprovedAnswer = Omit<DataOf<'saveApprovedAnswer'>, 'unmatched' | 'deleted'>;
type Instants<T> = Omit<T, 'expires'> & { readonly expires: Date | null };

/** What a turn needs of one that may be the answer to its question. */
export type GivenAnswer = Pick<ApprovedAnswer, 'id' | 'questions' | 'answer' | 'dataset_id'>;

/** What is compared with passages. */
export interface ApprovedText {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  readonly avatarIds: readonly string[];
}

/** How its questions are read, so that few of them are compared with a question. */
export interface AskedKeys {
  readonly keys: readonly string[];
  readonly reader: number;
}

type Contradicted = ApprovedAnswer['contradicted'][number];
interface FoundSide extends Omit<Contradicted, 'sentence'> {
  readonly content: string;
  readonly sentence: { readonly from: number; readonly to: number };
}
type Stored = Omit<ApprovedAnswer, 'contradicted'> & { readonly contradicted: readonly FoundSide[] };

/** What is open against `approved`: passages that these avatars may read now. */
const contradictionsFor = (avatarIds: Fragment) => sql`contradictions found
    join readable_chunks chunk on chunk.host_id = found.host_id and chunk.chunk_id = found.chunk_id
      and chunk.avatar_id = any (${avatarIds})
    where found.host_id = approved.host_id and found.approved_id = approved.id and found.state = 'open'`;
const isExpired = sql`coalesce(expires <= now(), false)`;
const columns = sql`id, host_id as "hostId", avatar_ids as "avatarIds", questions, answer, dataset_id,
    expires at time zone 'UTC' as expires, ${isExpired} as expired, (
      select coalesce(json_agg(row_to_json(side)), '[]') from (
        select distinct on (found.found_at, found.id) found.id as "contradictionId", found.kind, found.chunk_id as "chunkId",
          chunk.dataset_id as "datasetId", found.places -> 0 -> 'sentence' as sentence, chunk.content,
          (select name from documents where host_id = chunk.host_id and id = chunk.document_id) as "documentName"
        from ${contradictionsFor(sql`approved.avatar_ids`)} order by found.found_at, found.id limit 3
      ) side
    ) as contradicted, enabled,
    created_at at time zone 'UTC' as "createdAt", updated_at at time zone 'UTC' as "updatedAt"`;

/** Lists the newest first. */
export async function listApprovedAnswers({ tx, hostId }: HostScope): Promise<ApprovedAnswer[]> {
  const listed = await rowsOf<Stored>(tx)`
    select ${columns} from approved_answers approved where host_id = ${hostId} and not deleted order by created_at desc, id`;
  return listed.map(toApproved);
}

function toApproved({ contradicted, ...approved }: Stored): ApprovedAnswer {
  const toSide = ({ content, sentence: { from, to }, ...side }: FoundSide) =>
    withoutNulls({ ...side, sentence: content.slice(from, to) });
  return { ...approved, contradicted: contradicted.map(toSide) };
}

export async function findApprovedForUpdate(
  { tx, hostId }: HostScope,
  id: string,
): Promise<ApprovedAnswer | undefined> {
  const [found] = await rowsOf<Stored>(tx)`
    select ${columns} from approved_answers approved where host_id = ${hostId} and id = ${id} and not deleted for update`;
  return found && toApproved(found);
}

type Saved = Instants<
  Pick<ApprovedAnswer, 'id' | 'avatarIds' | 'questions' | 'answer' | 'dataset_id' | 'expires' | 'enabled'>
>;

export async function upsertApproved(
  { tx, hostId }: HostScope,
  { id, avatarIds, questions, answer, dataset_id, expires, enabled }: Saved,
  { keys, reader }: AskedKeys,
): Promise<ApprovedAnswer> {
  const [saved] = await rowsOf<Stored>(tx)`
    insert into approved_answers as approved
      (host_id, id, avatar_ids, questions, asked_keys, reader, answer, dataset_id, expires, enabled)
    values (${hostId}, ${id}, ${avatarIds}::uuid[], ${questions}::text[], ${keys}::text[], ${reader}, ${answer},
      ${dataset_id}, ${expires}, ${enabled})
    on conflict (host_id, id) do update set avatar_ids = excluded.avatar_ids, questions = excluded.questions,
      asked_keys = excluded.asked_keys, reader = excluded.reader, answer = excluded.answer,
      dataset_id = excluded.dataset_id, expires = excluded.expires, enabled = excluded.enabled, updated_at = now()
    returning ${columns}`;
  if (!saved) throw new Error('The approved answer was not stored.');
  return toApproved(saved);
}

/** Those that are compared with passages. */
export async function listApprovedTexts({ tx, hostId }: HostScope): Promise<ApprovedText[]> {
  return rowsOf<ApprovedText>(tx)`
    select id, questions[1] as question, answer, avatar_ids as "avatarIds"
    from approved_answers where host_id = ${hostId} and not deleted order by id`;
}

/** A passage is right that contradicts it. */
export async function switchApprovedOff({ tx, hostId }: HostScope, id: string): Promise<void> {
  await rowsOf(tx)`
    update approved_answers set enabled = false, updated_at = now() where host_id = ${hostId} and id = ${id}`;
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
    select id, questions, answer, dataset_id from approved_answers approved
    where ${key ?? null}::text is not null and host_id = ${hostId} and enabled and not deleted and not ${isExpired}
      and ${avatarId} = any (avatar_ids) and (reader <> ${reader} or ${key ?? ''} = any (asked_keys))
      and not exists (select from ${contradictionsFor(sql`array[${avatarId}]`)})
  ) given)`;
}
