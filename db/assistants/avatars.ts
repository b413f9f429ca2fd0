import type { DataOf } from '../../queues/contract/operations/index.ts';
import { returnsRow, rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope, HostsScope } from '../with-hosts.ts';

/** As it is answered; an empty model means the installation's. */
export type Avatar = DataOf<'editAvatar'>;

/** Says what happens to an answer with a figure that stands nowhere. */
export type UnsupportedAction = Avatar['on_unsupported'];

export interface NewAvatar extends Partial<Avatar> {
  readonly sub_slug: string;
  readonly avatar_name: string;
}

/** Without its prompt, which may have a megabyte. */
type ListedAvatar = DataOf<'listAvatars'>['avatarsAdminList']['avatars'][number];
type LinkedDataset = ListedAvatar['datasets'][number];

export interface AvatarName {
  readonly hostSlug: string;
  readonly subSlug: string;
  readonly createdAt: Date;
}

export const avatarColumns = sql`avatar.id as avatar_id, avatar.sub_slug, avatar.picture as avatar_picture,
  avatar.name as avatar_name, avatar.prompt_envelop, coalesce(avatar.model, '') as model, avatar.on_unsupported,
  avatar.on_failure, avatar.failure_text, avatar.language, avatar.idle_after_minutes, avatar.answer_in_audio, avatar.rewrite,
  avatar.answer_mode`;

/** Returns undefined if the host already uses the sub-slug. */
export async function insertAvatar(
  { tx, hostId }: HostScope,
  {
    sub_slug,
    avatar_name,
    avatar_picture = '',
    prompt_envelop = '',
    model = '',
    on_unsupported = 'pass',
    on_failure = 'error',
    failure_text = '',
    language = 'pt-BR',
    answer_in_audio = false,
    idle_after_minutes = null,
    rewrite = false,
    answer_mode = 'model',
  }: NewAvatar,
): Promise<Avatar | undefined> {
  return rowOf<Avatar>(tx)`
    insert into avatars as avatar (host_id, sub_slug, name, picture, prompt_envelop, model, on_unsupported, on_failure,
      failure_text, language, answer_in_audio, idle_after_minutes, rewrite, answer_mode)
    values (${hostId}, ${sub_slug}, ${avatar_name}, ${avatar_picture}, ${prompt_envelop}, nullif(${model}, ''),
      ${on_unsupported}, ${on_failure}, ${failure_text}, ${language}, ${answer_in_audio}, ${idle_after_minutes},
      ${rewrite}, ${answer_mode})
    on conflict (host_id, sub_slug) where not deleted do nothing
    returning ${avatarColumns}`;
}

/** Finds the avatar of that sub-slug; without one the host's default avatar, its oldest. */
export async function findAvatar({ tx, hostId }: HostScope, subSlug?: string): Promise<Avatar | undefined> {
  return rowOf<Avatar>(tx)`
    select ${avatarColumns} from avatars avatar
    where avatar.host_id = ${hostId} and avatar.sub_slug = coalesce(${subSlug ?? null}, avatar.sub_slug)
      and not avatar.deleted
    order by avatar.created_at, avatar.id
    limit 1`;
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
  return returnsRow(tx)`
    select id from avatars where host_id = ${hostId} and id = ${id} and not deleted`;
}

export async function findAvatarById({ tx, hostId }: HostScope, id: string): Promise<Avatar | undefined> {
  return rowOf<Avatar>(tx)`
    select ${avatarColumns} from avatars avatar
    where avatar.host_id = ${hostId} and avatar.id = ${id} and not avatar.deleted`;
}

/** Locks the avatars of the host that answer turns, and returns their ids: so the last two are not deleted at once. */
export async function lockAvatars({ tx, hostId }: HostScope): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(tx)`
    select id from avatars where host_id = ${hostId} and not deleted order by id for no key update`;
  return rows.map(({ id }) => id);
}

/** Updates the given fields of an avatar that is not deleted; an empty model means the installation's. */
export async function updateAvatar(
  { tx, hostId }: HostScope,
  id: string,
  changes: Partial<Avatar>,
): Promise<Avatar | undefined> {
  const { avatar_name, avatar_picture, prompt_envelop, model, on_unsupported, on_failure } = changes;
  const { failure_text, language, answer_in_audio, idle_after_minutes, rewrite, answer_mode, deleted } =
    changes;
  return rowOf<Avatar>(tx)`
    update avatars as avatar set
      name = coalesce(${avatar_name ?? null}, avatar.name),
      picture = coalesce(${avatar_picture ?? null}, avatar.picture),
      prompt_envelop = coalesce(${prompt_envelop ?? null}, avatar.prompt_envelop),
      model = nullif(coalesce(${model ?? null}, avatar.model), ''),
      on_unsupported = coalesce(${on_unsupported ?? null}, avatar.on_unsupported),
      on_failure = coalesce(${on_failure ?? null}, avatar.on_failure),
      failure_text = coalesce(${failure_text ?? null}, avatar.failure_text),
      language = coalesce(${language ?? null}, avatar.language),
      answer_in_audio = coalesce(${answer_in_audio ?? null}::boolean, avatar.answer_in_audio),
      idle_after_minutes = case when ${idle_after_minutes === undefined} then avatar.idle_after_minutes
        else ${idle_after_minutes ?? null}::integer end,
      rewrite = coalesce(${rewrite ?? null}::boolean, avatar.rewrite),
      answer_mode = coalesce(${answer_mode ?? null}, avatar.answer_mode),
      deleted = coalesce(${deleted ?? null}::boolean, avatar.deleted),
      updated_at = now()
    where avatar.host_id = ${hostId} and avatar.id = ${id} and not avatar.deleted
    returning ${avatarColumns}`;
}

/** The default first. */
export async function listAvatars(scope: HostScope): Promise<ListedAvatar[]> {
  const { tx, hostId } = scope;
  const avatars = await rowsOf<ListedAvatar>(tx)`
    select host.picture as "hostPicture", avatar.picture as "avatarPicture", avatar.id as avatar_id,
      avatar.name as avatar_name, avatar.sub_slug, avatar.on_unsupported, avatar.on_failure
    from avatars avatar join hosts host on host.id = avatar.host_id
    where avatar.host_id = ${hostId} and not avatar.deleted
    order by avatar.created_at, avatar.id`;
  const linked = await listLinkedDatasets(scope);
  return avatars.map(avatar => ({ ...avatar, datasets: linked.get(avatar.avatar_id) ?? [] }));
}

/** The datasets of all avatars, or of one, by its id, with links that are not deleted; including hidden and expired ones. */
export async function listLinkedDatasets(
  { tx, hostId }: HostScope,
  only?: string,
): Promise<Map<string, LinkedDataset[]>> {
  const links = await rowsOf<LinkedDataset & { readonly avatarId: string }>(tx)`
    select link.avatar_id as "avatarId", dataset.id as dataset_id, dataset.name as dataset_name,
      dataset.expires at time zone 'UTC' as expires
    from dataset_avatars link
    join datasets dataset on dataset.host_id = link.host_id and dataset.id = link.dataset_id
    where link.host_id = ${hostId} and link.avatar_id = coalesce(${only ?? null}::uuid, link.avatar_id)
      and not link.deleted and not dataset.deleted
    order by dataset.name, dataset.id`;
  const linked = new Map<string, LinkedDataset[]>();
  for (const { avatarId, ...dataset } of links) {
    const datasets = linked.get(avatarId);
    if (datasets) datasets.push(dataset);
    else linked.set(avatarId, [dataset]);
  }
  return linked;
}
