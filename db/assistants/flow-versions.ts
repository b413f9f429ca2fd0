import { NIL_UUID } from '../../platform/uuid.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { type PagedRow, type PageOf, readRowsThatFit } from '../pages.ts';
import { returnsRow, rowOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** A saved state of a flow. Each save makes a version, and flows.ts keeps the last ones. */
export type FlowVersion = DataOf<'listFlowVersions'>['items'][number];

const columns = sql`version, saved_at at time zone 'UTC' as "savedAt", coalesce(saved_by, ${NIL_UUID}) as "savedBy",
    (flow ->> 'avatar_id')::uuid as "avatarId", flow -> 'steps' as "chainJson", flow ->> 'name' as "decisionName",
    (flow -> 'active')::boolean as active, flow ->> 'prompt_template_name' as "promptTemplateName",
    flow ->> 'type' as "decisionType", flow ->> 'model' as model, flow ->> 'template_ref' as "templateRef",
    (flow -> 'deleted')::boolean as deleted`;

export async function hasFlow({ tx, hostId }: HostScope, id: string): Promise<boolean> {
  return returnsRow(tx)`select id from flows where host_id = ${hostId} and id = ${id}`;
}

/** Lists the last version first. */
export async function listFlowVersions(
  { tx, hostId }: HostScope,
  flowId: string,
  { limit, after }: PageOf<{ readonly version: number }>,
): Promise<(FlowVersion & PagedRow)[]> {
  return readRowsThatFit<FlowVersion>(
    tx,
    sql`select ${columns} from flow_versions where host_id = ${hostId} and flow_id = ${flowId}
      ${after ? sql`and version < ${after.version}` : sql``} order by version desc limit ${limit}`,
    sql`version desc`,
  );
}

export async function findFlowVersion(
  { tx, hostId }: HostScope,
  flowId: string,
  version: number,
): Promise<FlowVersion | undefined> {
  return rowOf<FlowVersion>(tx)`
    select ${columns} from flow_versions
    where host_id = ${hostId} and flow_id = ${flowId} and version = ${version}`;
}
