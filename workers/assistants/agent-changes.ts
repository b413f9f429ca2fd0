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
import { type FieldError, fieldError, limitFieldErrors } from '../../platform/field-error.ts';
import { failure, fieldFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { schemaErrorsOf } from '../domain/schemas/schema-errors.ts';
import type { Handler } from '../runtime/job.ts';
import { agentEntryOf } from './agents.ts';

type Body = BodyOf<'saveAgent'>;

export const saveAgent: Handler<'saveAgent'> = async job => {
  const { schema } = job.body;
  const fields = schema ? schemaErrorsAt('schema', schema) : [];
  if (fields.length > 0) return failure('body-invalid', { fields });
  return job.commit(scope => storeAgent(scope, job.body));
};

export const saveAgents: Handler<'saveAgents'> = async job => {
  const { schemas = [], agents = [] } = job.body;
  const fields = [
    ...twiceIn(
      'schemas',
      schemas.map(({ schemaName }) => schemaName),
    ),
    ...twiceIn(
      'agents',
      agents.map(({ agentName }) => agentName),
    ),
    ...schemas.flatMap(({ schema }, at) => schemaErrorsAt(`schemas[${at}].schema`, schema)),
  ];
  if (fields.length > 0) return failure('body-invalid', { fields: limitFieldErrors(fields) });
  const toSave = { schemas: schemas.map(({ schema, ...rest }) => ({ ...rest, arguments: schema })), agents };
  return job.commit(async scope => {
    const saved = await storeAgents(scope, toSave);
    if (!('refusal' in saved)) return { code: 200, data: { agents: saved.map(agentEntryOf) } };
    if (saved.refusal === 'host-full') return failure(saved.refusal);
    return fieldFailure(`agents[${saved.at}].schemaName`, 'unknown', 'is the name of no schema');
  });
};

function twiceIn(list: string, names: readonly string[]): FieldError[] {
  return names.flatMap((name, at) =>
    names.indexOf(name) < at ? [fieldError(`${list}[${at}]`, 'taken', 'has the name of another one')] : [],
  );
}

/** Fields that are left out keep their values, read under the lock so that no concurrent save is lost. */
async function storeAgent(scope: HostScope, body: Body): Promise<Outcome<DataOf<'saveAgent'>>> {
  const former = await findAgentForUpdate(scope, { name: body.agentName });
  const schemaName = body.schemaName ?? former?.schemaName;
  if (schemaName === undefined) return fieldFailure('schemaName', 'required', 'is required for a new agent');
  const formerSchema = await findSchema(scope, schemaName);
  // A deleted schema would keep the agent from running.
  if (!body.schema && (formerSchema?.deleted ?? true)) return failure('schema-not-found');
  const { schema, schemaDescription: description = formerSchema?.description } = body;
  const saved = await storeAgents(scope, {
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

/** The errors of the schema that is there in the body: `/properties/a~1b` is `schema.properties.a/b`. */
function schemaErrorsAt(place: string, schema: SchemaToSet['arguments']): FieldError[] {
  return schemaErrorsOf(schema).map(({ path, ...error }) => {
    const steps = path.split('/').map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    return { path: [place, ...steps.slice(1)].join('.'), ...error };
  });
}

interface AgentsToSave {
  /** Already checked. */
  readonly schemas: readonly SchemaToSet[];
  readonly agents: readonly AgentToSet[];
}

/** Says why agents cannot be saved; `at` is the index of an agent whose schema the host does not have. */
type UnsavedAgents =
  | { readonly refusal: 'schema-not-found'; readonly at: number }
  | { readonly refusal: 'host-full' };

/** Creates or replaces schemas and agents. The caller has to roll the transaction back if it returns a refusal. */
async function storeAgents(
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
