import { jsonOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** A step of a flow. Unknown types are stored like any other. */
export interface FlowStep {
  readonly type: string;
  readonly content: string;
  readonly description: string;
  /** False: at most once a conversation. */
  readonly canRepeat?: boolean;
  readonly agents?: readonly FlowAgent[];
}

export interface FlowAgent {
  readonly agentName: string;
  readonly schemaName: string;
}

export interface Flow {
  readonly id: string;
  readonly avatarId: string;
  readonly name: string;
  readonly steps: readonly FlowStep[];
  readonly promptTemplateName: string;
  /** Empty: the model of the avatar. */
  readonly model: string;
  readonly templateRef: string | null;
  readonly type: string;
  readonly active: boolean;
  readonly deleted: boolean;
  /** Number of saves; each version is kept. */
  readonly version: number;
  /** Ids of tokens; null for the seed. */
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

type FlowSettings = Omit<Flow, 'id' | 'version' | 'createdBy' | 'updatedBy' | 'createdAt' | 'updatedAt'>;
type DefaultedSettings = Omit<FlowSettings, 'avatarId' | 'name' | 'steps' | 'deleted'>;
export type NewFlow = Pick<Flow, 'avatarId' | 'name' | 'steps'> & {
  readonly [K in keyof DefaultedSettings]?: DefaultedSettings[K] | undefined;
} & { readonly savedBy: string | null };
export type ChangedFlow = FlowSettings & { readonly savedBy: string | null };

const columns = sql`id, avatar_id as "avatarId", name, steps, prompt_template_name as "promptTemplateName", model,
    template_ref as "templateRef", type, active, deleted, version, created_by as "createdBy", updated_by as "updatedBy",
    created_at as "createdAt", updated_at as "updatedAt"`;

/** So many versions of each flow are kept; a save that exceeds them deletes the oldest. */
const KEPT_VERSIONS = 50;

/** Stores the row of the step `saved_flow` as a version. */
const insertVersion = sql`insert into flow_versions (host_id, flow_id, version, flow, saved_by, saved_at)
    select host_id, id, version, to_jsonb(saved_flow), updated_by, updated_at from saved_flow`;

/** Undefined where there is no such avatar. */
export async function insertFlow({ tx, hostId }: HostScope, flow: NewFlow): Promise<Flow | undefined> {
  const { avatarId, name, steps, promptTemplateName = '', model = '', templateRef = null } = flow;
  const { type = 'custom', active = true, savedBy } = flow;
  const [inserted] = await rowsOf<Flow>(tx)`
    with saved_flow as (
      insert into flows (host_id, avatar_id, name, steps, prompt_template_name, model, template_ref, type, active,
        created_by, updated_by)
      select avatar.host_id, avatar.id, ${name}, ${jsonOf(steps)}::jsonb, ${promptTemplateName}, ${model},
        ${templateRef}, ${type}, ${active}, ${savedBy}::uuid, ${savedBy}::uuid
      from avatars avatar where avatar.host_id = ${hostId} and avatar.id = ${avatarId} and not avatar.deleted
      returning *
    ), stored_version as (${insertVersion})
    select ${columns} from saved_flow`;
  return inserted;
}

/** Replaces the flow; undefined where there is no such flow or avatar. */
export async function updateFlow(
  { tx, hostId }: HostScope,
  id: string,
  changed: ChangedFlow,
): Promise<Flow | undefined> {
  const { avatarId, name, steps, promptTemplateName, model, templateRef, type } = changed;
  const { active, deleted, savedBy } = changed;
  const [updated] = await rowsOf<Flow>(tx)`
    with saved_flow as (
      update flows set avatar_id = avatar.id, name = ${name}, steps = ${jsonOf(steps)}::jsonb,
        prompt_template_name = ${promptTemplateName}, model = ${model}, template_ref = ${templateRef}, type = ${type},
        active = ${active}, deleted = ${deleted}, version = flows.version + 1, updated_by = ${savedBy},
        updated_at = greatest(clock_timestamp(), flows.updated_at + interval '1 millisecond')
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
  return updated;
}

/** Locks the flow against concurrent saves until the transaction ends. */
export async function findFlowForUpdate({ tx, hostId }: HostScope, id: string): Promise<Flow | undefined> {
  const [flow] = await rowsOf<Flow>(tx)`
    select ${columns} from flows where host_id = ${hostId} and id = ${id} for no key update`;
  return flow;
}

/** All flows that are not deleted, the oldest first; with `avatarIds` those of these avatars. */
export async function listFlows({ tx, hostId }: HostScope, avatarIds?: readonly string[]): Promise<Flow[]> {
  return rowsOf<Flow>(tx)`
    select ${columns} from flows
    where host_id = ${hostId} and not deleted
      and (${avatarIds ?? null}::uuid[] is null or avatar_id = any (${avatarIds ?? null}::uuid[]))
    order by created_at, id`;
}
