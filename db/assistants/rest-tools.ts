import type { DataOf } from '../../queues/contract/operations/index.ts';
import { type Fragment, jsonOf, rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

type Shown = DataOf<'saveRestTool'>;
type WithoutSecret<T> = T extends readonly (infer U)[] ? readonly WithoutSecret<U>[] : Omit<T, 'secret'>;

export interface RestTool extends Pick<Shown, 'avatarId' | 'name' | 'functions' | 'enabled' | 'unmasked'> {
  readonly id: string;
  /** The address, and how to sign in there, without the secrets; the names of these in the same order. */
  readonly config: Pick<Shown, 'baseURL'> & {
    readonly auth: WithoutSecret<Shown['auth']>;
    /** Tools of earlier releases have none, and one secret of the name `secret`. */
    readonly secretNames?: readonly string[];
  };
  /** The encrypted secrets by their names; db does not know the key. */
  readonly sealedSecrets: Readonly<Record<string, string>>;
}

export const restToolColumns = sql`rest.id, rest.avatar_id as "avatarId", rest.name, rest.config,
    rest.sealed_secrets as "sealedSecrets", rest.functions, rest.enabled, rest.unmasked`;

/** Returns undefined, and writes nothing, if the host has no such avatar. */
export async function upsertRestTool(
  { tx, hostId }: HostScope,
  { id, avatarId, name, config, sealedSecrets, functions, enabled, unmasked }: RestTool,
): Promise<RestTool | undefined> {
  return rowOf<RestTool>(tx)`
    insert into rest_tools as rest (host_id, id, avatar_id, name, config, sealed_secrets, functions, enabled, unmasked)
    select avatar.host_id, ${id}, avatar.id, ${name}, ${jsonOf(config)}::jsonb, ${jsonOf(sealedSecrets)}::jsonb,
      ${jsonOf(functions)}::jsonb, ${enabled}, ${unmasked}
    from avatars avatar where avatar.host_id = ${hostId} and avatar.id = ${avatarId} and not avatar.deleted
    on conflict (host_id, id) do update set avatar_id = excluded.avatar_id, name = excluded.name,
      config = excluded.config, sealed_secrets = excluded.sealed_secrets, functions = excluded.functions,
      enabled = excluded.enabled, unmasked = excluded.unmasked, updated_at = now()
    returning ${restToolColumns}`;
}

export function findRestTool(scope: HostScope, id: string): Promise<RestTool | undefined> {
  return findTool(scope, id, sql``);
}

/** Locks the tool until the transaction ends. */
export function findRestToolForUpdate(scope: HostScope, id: string): Promise<RestTool | undefined> {
  return findTool(scope, id, sql`for update`);
}

async function findTool(
  { tx, hostId }: HostScope,
  id: string,
  lock: Fragment,
): Promise<RestTool | undefined> {
  return rowOf<RestTool>(tx)`
    select ${restToolColumns} from rest_tools rest where rest.host_id = ${hostId} and rest.id = ${id} ${lock}`;
}

/** Also deletes its secret. */
export async function deleteRestTool({ tx, hostId }: HostScope, id: string): Promise<void> {
  await rowsOf(tx)`delete from rest_tools where host_id = ${hostId} and id = ${id}`;
}

/** Lists the oldest first, including disabled ones. */
export async function listRestTools({ tx, hostId }: HostScope, avatarId?: string): Promise<RestTool[]> {
  return rowsOf<RestTool>(tx)`
    select ${restToolColumns} from rest_tools rest
    where rest.host_id = ${hostId} and rest.avatar_id = coalesce(${avatarId ?? null}, rest.avatar_id)
    order by rest.created_at, rest.id`;
}
