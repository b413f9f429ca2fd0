import { NIL_UUID } from '../../platform/uuid.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { jsonOf, rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

export type Flow = DataOf<'saveFlow'>;
export type FlowStep = Flow['chainJson'][number];

interface SavedFlow {
  readonly avatarId: string;
  readonly decisionName: string;
  readonly chainJson: readonly FlowStep[];
  /** The id of the saving token; null for the seed. */
  readonly savedBy: string | null;
}

export interface NewFlow extends SavedFlow {
  readonly promptTemplateName?: string;
  readonly model?: string;
  readonly templateRef?: string | null;
  readonly decisionType?: string;
  readonly active?: boolean;
}

interface ChangedFlow extends SavedFlow {
  readonly promptTemplateName: string;
  readonly model: string;
  readonly templateRef: string | null;
  readonly decisionType: string;
  readonly active: boolean;
  readonly deleted: boolean;
}

const columns = sql`id, created_at at time zone 'UTC' as "createdAt", updated_at at time zone 'UTC' as "updatedAt",
    coalesce(created_by, ${NIL_UUID}) as "createdBy", steps as "chainJson", name as "decisionName", host_id as "hostId",
    avatar_id as "avatarId", active, prompt_template_name as "promptTemplateName",
    coalesce(updated_by, ${NIL_UUID}) as "lastUpdateBy", type as "decisionType", model, template_ref as "templateRef", deleted`;

/** Each flow keeps this many versions; a save that exceeds them deletes the oldest. */
const KEPT_VERSIONS = 50;

/** Stores the row of the step `saved_flow` as a version. */
const insertVersion = sql`insert into flow_versions (host_id, flow_id, version, flow, saved_by, saved_at)
    select host_id, id, version, to_jsonb(saved_flow), updated_by, updated_at from saved_flow`;

/** Later than every save of the avatar's flows: of two in a millisecond, or after the clock was set back, the last is the newest. */
const savedAt = sql`greatest(clock_timestamp(), (
    select max(other.updated_at) + interval '1 millisecond' from flows other
    where other.host_id = avatar.host_id and other.avatar_id = avatar.id))`;

/** Returns undefined if there is no such avatar. */
export async function insertFlow({ tx, hostId }: HostScope, flow: NewFlow): Promise<Flow | undefined> {
  const { avatarId, decisionName, chainJson, promptTemplateName = '', model = '', templateRef = null } = flow;
  const { decisionType = 'custom', active = true, savedBy } = flow;
  return rowOf<Flow>(tx)`
    with saved_flow as (
      insert into flows (host_id, avatar_id, name, steps, prompt_template_name, model, template_ref, type, active,
        created_by, updated_by, created_at, updated_at)
      select avatar.host_id, avatar.id, ${decisionName}, ${jsonOf(chainJson)}::jsonb, ${promptTemplateName}, ${model},
        ${templateRef}, ${decisionType}, ${active}, ${savedBy}::uuid, ${savedBy}::uuid, saved_at, saved_at
      from avatars avatar cross join lateral (select ${savedAt} as saved_at) save
      where avatar.host_id = ${hostId} and avatar.id = ${avatarId} and not avatar.deleted
      returning *
    ), stored_version as (${insertVersion})
    select ${columns} from saved_flow`;
}

/** Replaces the flow; returns undefined if there is no such flow or avatar. */
export async function updateFlow(
  { tx, hostId }: HostScope,
  id: string,
  changed: ChangedFlow,
): Promise<Flow | undefined> {
  const { avatarId, decisionName, chainJson, promptTemplateName, model, templateRef, decisionType } = changed;
  const { active, deleted, savedBy } = changed;
  return rowOf<Flow>(tx)`
    with saved_flow as (
      update flows set avatar_id = avatar.id, name = ${decisionName}, steps = ${jsonOf(chainJson)}::jsonb,
        prompt_template_name = ${promptTemplateName}, model = ${model}, template_ref = ${templateRef}, type = ${decisionType},
        active = ${active}, deleted = ${deleted}, version = flows.version + 1, updated_by = ${savedBy},
        updated_at = greatest(${savedAt}, flows.updated_at + interval '1 millisecond')
      from avatars avatar
      where flows.host_id = ${hostId} and flows.id = ${id}
        and avatar.host_id = flows.host_id and avatar.id = ${avatarId} and not avatar.deleted
      returning flows.*
    ), stored_version as (${insertVersion}), expired_version as (
      delete from flow_versions old_version using saved_flow
      where old_version.host_id = saved_flow.host_id and old_version.flow_id = saved_flow.id
        and old_version.version <= saved_flow.version - ${KEPT_VERSIONS}
    )
    select ${columns} from saved_flow`;
}

/** Locks the flow against concurrent saves until the transaction ends. */
export async function findFlowForUpdate({ tx, hostId }: HostScope, id: string): Promise<Flow | undefined> {
  return rowOf<Flow>(tx)`
    select ${columns} from flows where host_id = ${hostId} and id = ${id} for no key update`;
}

/** Lists the flows that are not deleted, the oldest first; with `avatarIds` only of these avatars. */
export async function listFlows({ tx, hostId }: HostScope, avatarIds?: readonly string[]): Promise<Flow[]> {
  return rowsOf<Flow>(tx)`
    select ${columns} from flows
    where host_id = ${hostId} and not deleted
      and (${avatarIds ?? null}::uuid[] is null or avatar_id = any (${avatarIds ?? null}::uuid[]))
    order by created_at, id`;
}
