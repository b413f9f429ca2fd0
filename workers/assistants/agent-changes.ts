import {
  type Agent,
  type AgentToSet,
  findAgentForUpdate,
  findSchema,
  lockAgents,
  type SchemaToSet,
  setAgent,
  setSchema,
} from '../../db/assistants/agents.ts';
import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import type { FieldError } from '../../platform/field-error.ts';
import { failure, fieldFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { schemaErrorsOf } from '../domain/schemas/schema-errors.ts';
import type { Handler } from '../runtime/job.ts';
import { agentEntryOf } from './agents.ts';

type Body = BodyOf<'saveAgent'>;

export const saveAgent: Handler<'saveAgent'> = async job => {
  const { schema } = job.body;
  const errors = schema ? schemaErrorsOf(schema) : [];
  if (errors.length > 0) return failure('body-invalid', { fields: errors.map(toBodyField) });
  return job.commit(scope => storeAgent(scope, job.body));
};

/** Fields that are left out keep their values, read under the lock so that no concurrent save is lost. */
async function storeAgent(scope: HostScope, body: Body): Promise<Outcome<DataOf<'saveAgent'>>> {
  const former = await findAgentForUpdate(scope, { name: body.agentName });
  const schemaName = body.schemaName ?? former?.schemaName;
  if (schemaName === undefined) return fieldFailure('schemaName', 'required', 'is required for a new agent');
  const formerSchema = await findSchema(scope, schemaName);
  // A deleted schema would keep the agent from running.
  if (!body.schema && (formerSchema?.deleted ?? true)) return failure('schema-not-found');
  const { schema, schemaDescription: description = formerSchema?.description } = body;
  const saved = await saveAgents(scope, {
    schemas: schema ? [{ schemaName, arguments: schema, description }] : [],
    agents: [{ ...former, ...body, schemaName, deleted: false }],
  });
  if ('refusal' in saved) return failure(saved.refusal);
  const [agent] = saved;
  if (!agent) throw new Error('The agent was not stored.');
  return { code: 200, data: agentEntryOf(agent) };
}

export const deleteAgent: Handler<'deleteAgent'> = job =>
  job.commit(async scope => {
    const agent = await findAgentForUpdate(scope, { id: job.body.id });
    if (!agent) return failure('agent-not-found');
    const { id, agentName } = agent;
    if (!agent.deleted) await setAgent(scope, { ...agent, deleted: true });
    return { code: 200, data: { id, agentName, deleted: true } };
  });

/** Turns `/properties/a~1b` into `schema.properties.a/b`, its path in the body. */
function toBodyField({ path, ...error }: FieldError): FieldError {
  const steps = path.split('/').map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { path: ['schema', ...steps.slice(1)].join('.'), ...error };
}

export interface AgentsToSave {
  /** Already checked by `findSchemaErrors`. */
  readonly schemas: readonly SchemaToSet[];
  readonly agents: readonly AgentToSet[];
}

/** Says why agents cannot be saved; `at` is the index of an agent whose schema the host does not have. */
export type UnsavedAgents =
  | { readonly refusal: 'schema-not-found'; readonly at: number }
  | { readonly refusal: 'host-full' };

/**
 * Creates or replaces schemas and agents, for the API and for `npm run agent`. The caller has to roll the transaction back if
 * it returns a refusal.
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
