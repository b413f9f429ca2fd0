import type { DataOf } from '../../queues/contract/operations/index.ts';
import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope, HostsScope } from '../with-hosts.ts';

/** The action on an answer with a figure that has no source. */
export type UnsupportedAction = 'pass' | 'handoff' | 'withhold';

/** The reply if no model answers or a budget is spent: a failure of the call, or a text and a staff member. */
export type FailureAction = 'error' | 'handoff';

export interface Avatar {
  readonly id: string;
  readonly subSlug: string;
  readonly name: string;
  readonly picture: string;
  readonly promptEnvelop: string;
  /** Null: the model of the installation. */
  readonly model: string | null;
  readonly onUnsupported: UnsupportedAction;
  readonly onFailure: FailureAction;
  /** Empty: the default text of its language. */
  readonly failureText: string;
  /** A BCP 47 tag. */
  readonly language: string;
  /** If true, answers to spoken questions are to be spoken, too. */
  readonly answerInAudio: boolean;
  /** Minutes of silence after an answer until an event tells of it; null: never. */
  readonly idleAfterMinutes: number | null;
}

export type NewAvatar = Pick<Avatar, 'subSlug' | 'name'> & {
  readonly [K in Exclude<keyof Avatar, 'id' | 'subSlug' | 'name'>]?: Avatar[K] | undefined;
};

export type AvatarChanges = {
  readonly [K in 'name' | 'picture' | 'promptEnvelop' | 'model' | 'failureText' | 'language']?:
    | string
    | undefined;
} & {
  readonly onUnsupported?: UnsupportedAction | undefined;
  readonly onFailure?: FailureAction | undefined;
  readonly answerInAudio?: boolean | undefined;
  readonly idleAfterMinutes?: number | null | undefined;
  readonly deleted?: boolean | undefined;
};

type LinkedDataset = DataOf<'readAvatar'>['datasets'][number];

/** An avatar without its prompt, which may have a megabyte. */
export interface AvatarWithDatasets extends Omit<Avatar, 'promptEnvelop'> {
  readonly datasets: LinkedDataset[];
}

export interface AvatarName {
  readonly hostSlug: string;
  readonly subSlug: string;
  readonly createdAt: Date;
}

const listedColumns = sql`avatar.id, avatar.sub_slug as "subSlug", avatar.name, avatar.picture, avatar.model,
  avatar.on_unsupported as "onUnsupported", avatar.on_failure as "onFailure", avatar.failure_text as "failureText",
  avatar.language, avatar.answer_in_audio as "answerInAudio",
  avatar.idle_after_minutes as "idleAfterMinutes"`;
export const avatarColumns = sql`${listedColumns}, avatar.prompt_envelop as "promptEnvelop"`;

/** Returns undefined if the host already uses the sub-slug. */
export async function insertAvatar(
  { tx, hostId }: HostScope,
  {
    subSlug,
    name,
    picture = '',
    promptEnvelop = '',
    model = null,
    onUnsupported = 'pass',
    onFailure = 'error',
    failureText = '',
    language = 'pt-BR',
    answerInAudio = false,
    idleAfterMinutes = null,
  }: NewAvatar,
): Promise<Avatar | undefined> {
  const [inserted] = await rowsOf<Avatar>(tx)`
    insert into avatars as avatar (host_id, sub_slug, name, picture, prompt_envelop, model, on_unsupported, on_failure,
      failure_text, language, answer_in_audio, idle_after_minutes)
    values (${hostId}, ${subSlug}, ${name}, ${picture}, ${promptEnvelop}, ${model}, ${onUnsupported}, ${onFailure},
      ${failureText}, ${language}, ${answerInAudio}, ${idleAfterMinutes})
    on conflict (host_id, sub_slug) where not deleted do nothing
    returning ${avatarColumns}`;
  return inserted;
}

/** Finds the avatar of that sub-slug; without one the host's default avatar, its oldest. */
export async function findAvatar({ tx, hostId }: HostScope, subSlug?: string): Promise<Avatar | undefined> {
  const [avatar] = await rowsOf<Avatar>(tx)`
    select ${avatarColumns} from avatars avatar
    where avatar.host_id = ${hostId} and avatar.sub_slug = coalesce(${subSlug ?? null}, avatar.sub_slug)
      and not avatar.deleted
    order by avatar.created_at, avatar.id
    limit 1`;
  return avatar;
}

/** Lists the avatars of several hosts, by host and sub-slug. */
export async function listAvatarNames({ tx, hostIds }: HostsScope, limit: number): Promise<AvatarName[]> {
  return rowsOf<AvatarName>(tx)`
    select host.slug as "hostSlug", avatar.sub_slug as "subSlug", avatar.created_at as "createdAt"
    from avatars avatar join hosts host on host.id = avatar.host_id
    where avatar.host_id = any(${[...hostIds]}) and not avatar.deleted
    order by host.slug, avatar.sub_slug limit ${limit}`;
}

export async function hasAvatar({ tx, hostId }: HostScope, id: string): Promise<boolean> {
  const found = await rowsOf(tx)`
    select id from avatars where host_id = ${hostId} and id = ${id} and not deleted`;
  return found.length > 0;
}

export async function findAvatarById({ tx, hostId }: HostScope, id: string): Promise<Avatar | undefined> {
  const [avatar] = await rowsOf<Avatar>(tx)`
    select ${avatarColumns} from avatars avatar
    where avatar.host_id = ${hostId} and avatar.id = ${id} and not avatar.deleted`;
  return avatar;
}

/** Updates the given fields of an avatar that is not deleted; an empty model means the installation's. */
export async function updateAvatar(
  { tx, hostId }: HostScope,
  id: string,
  changes: AvatarChanges,
): Promise<Avatar | undefined> {
  const { name, picture, promptEnvelop, model, onUnsupported, onFailure, failureText } = changes;
  const { language, answerInAudio, idleAfterMinutes, deleted } = changes;
  const [avatar] = await rowsOf<Avatar>(tx)`
    update avatars as avatar set
      name = coalesce(${name ?? null}, avatar.name),
      picture = coalesce(${picture ?? null}, avatar.picture),
      prompt_envelop = coalesce(${promptEnvelop ?? null}, avatar.prompt_envelop),
      model = nullif(coalesce(${model ?? null}, avatar.model), ''),
      on_unsupported = coalesce(${onUnsupported ?? null}, avatar.on_unsupported),
      on_failure = coalesce(${onFailure ?? null}, avatar.on_failure),
      failure_text = coalesce(${failureText ?? null}, avatar.failure_text),
      language = coalesce(${language ?? null}, avatar.language),
      answer_in_audio = coalesce(${answerInAudio ?? null}::boolean, avatar.answer_in_audio),
      idle_after_minutes = case when ${idleAfterMinutes === undefined} then avatar.idle_after_minutes
        else ${idleAfterMinutes ?? null}::integer end,
      deleted = coalesce(${deleted ?? null}::boolean, avatar.deleted),
      updated_at = now()
    where avatar.host_id = ${hostId} and avatar.id = ${id} and not avatar.deleted
    returning ${avatarColumns}`;
  return avatar;
}

/** Lists all avatars, or one; the default first. Their links that are not deleted include hidden and expired datasets. */
export async function listAvatarsWithDatasets(
  { tx, hostId }: HostScope,
  only?: string,
): Promise<AvatarWithDatasets[]> {
  const avatars = await rowsOf<Omit<AvatarWithDatasets, 'datasets'>>(tx)`
    select ${listedColumns} from avatars avatar
    where avatar.host_id = ${hostId} and avatar.id = coalesce(${only ?? null}::uuid, avatar.id)
      and not avatar.deleted
    order by avatar.created_at, avatar.id`;
  const links = await rowsOf<LinkedDataset & { readonly avatarId: string }>(tx)`
    select link.avatar_id as "avatarId", dataset.id as dataset_id, dataset.name as dataset_name,
      dataset.expires at time zone 'UTC' as expires
    from dataset_avatars link
    join datasets dataset on dataset.host_id = link.host_id and dataset.id = link.dataset_id
    where link.host_id = ${hostId} and link.avatar_id = coalesce(${only ?? null}::uuid, link.avatar_id)
      and not link.deleted and not dataset.deleted
    order by dataset.name, dataset.id`;
  const datasetsOf = new Map<string, LinkedDataset[]>(avatars.map(({ id }) => [id, []]));
  for (const { avatarId, ...dataset } of links) datasetsOf.get(avatarId)?.push(dataset);
  return avatars.map(avatar => ({ ...avatar, datasets: datasetsOf.get(avatar.id) ?? [] }));
}
