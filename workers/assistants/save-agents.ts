import {
  type Agent,
  type AgentToSet,
  lockAgents,
  type SchemaToSet,
  setAgent,
  setSchema,
} from '../../db/assistants/agents.ts';
import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import type { HostScope } from '../../db/with-hosts.ts';

export interface AgentsToSave {
  /** Checked before, by `findSchemaErrors`. */
  readonly schemas: readonly SchemaToSet[];
  readonly agents: readonly AgentToSet[];
}

/** Why they cannot be saved; `at` is the index of the agent whose schema the host does not have. */
export type UnsavedAgents =
  | { readonly refusal: 'schema-not-found'; readonly at: number }
  | { readonly refusal: 'host-full' };

/**
 * Creates or replaces schemas and agents, for the API and for `npm run agent`. Where it returns a refusal, the caller has to
 * roll the transaction back.
 */
export async function saveAgents(
  scope: HostScope,
  { schemas, agents }: AgentsToSave,
): Promise<Agent[] | UnsavedAgents> {
  await lockAgents(scope);
  for (const schema of schemas) await setSchema(scope, schema);
  const saved: Agent[] = [];
  for (const [at, agent] of agents.entries()) {
    const one = await setAgent(scope, agent);
    if (!one) return { refusal: 'schema-not-found', at };
    saved.push(one);
  }
  const isWithin = (await isWithinLimits(scope, 'agent_schemas')) && (await isWithinLimits(scope, 'agents'));
  return isWithin ? saved : { refusal: 'host-full' };
}
