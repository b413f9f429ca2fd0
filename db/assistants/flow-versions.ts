import { type PagedRow, type PageOf, readRowsThatFit } from '../pages.ts';
import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import type { Flow } from './flows.ts';

/** A flow as it was saved. Each save makes a version, and flows.ts keeps the last ones. */
export interface FlowVersion
  extends Pick<
    Flow,
    | 'version'
    | 'avatarId'
    | 'name'
    | 'steps'
    | 'promptTemplateName'
    | 'model'
    | 'templateRef'
    | 'type'
    | 'active'
    | 'deleted'
  > {
  /** The id of a token; null for the seed. */
  readonly savedBy: string | null;
  readonly savedAt: Date;
}

const columns = sql`version, saved_by as "savedBy", saved_at as "savedAt", (flow ->> 'avatar_id')::uuid as "avatarId",
    flow ->> 'name' as name, flow -> 'steps' as steps, flow ->> 'prompt_template_name' as "promptTemplateName",
    flow ->> 'model' as model, flow ->> 'template_ref' as "templateRef", flow ->> 'type' as type,
    (flow -> 'active')::boolean as active, (flow -> 'deleted')::boolean as deleted`;

export async function hasFlow({ tx, hostId }: HostScope, id: string): Promise<boolean> {
  const found = await rowsOf(tx)`select id from flows where host_id = ${hostId} and id = ${id}`;
  return found.length > 0;
}

/** The last one first. */
export async function listFlowVersions(
  { tx, hostId }: HostScope,
  flowId: string,
  { limit, after }: PageOf<Pick<FlowVersion, 'version'>>,
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
  const [found] = await rowsOf<FlowVersion>(tx)`
    select ${columns} from flow_versions
    where host_id = ${hostId} and flow_id = ${flowId} and version = ${version}`;
  return found;
}
