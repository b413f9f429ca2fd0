import type { Logger } from 'pino';
import { listAgentRuns } from '../../db/assistants/agent-runs.ts';
import { type Agent, listAgents as agentsOf, findAgent, listSchemas } from '../../db/assistants/agents.ts';
import type { Db } from '../../db/connection.ts';
import { findHost, hasBudget } from '../../db/hosts/hosts.ts';
import { withHost } from '../../db/with-hosts.ts';
import type { FieldError } from '../../platform/field-error.ts';
import { failure, HOST_DISABLED } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { makeMasking, NO_MASKING } from '../domain/masking/masking.ts';
import { agentFormPromptOf, repairRequestOf } from '../domain/prompts/agent-form-prompt.ts';
import { type FormField, formSchemaOf, parseForm } from '../domain/schemas/form-answer.ts';
import { frontSchemaOf } from '../domain/schemas/front-schema.ts';
import type { Model } from '../model/model.ts';
import { spendFailureOf } from '../model/model-call.ts';
import type { Spender } from '../model/spender.ts';
import type { ModelCall } from '../model/tries.ts';
import type { Handler } from '../runtime/job.ts';

export const listAgents: Handler<'listAgents'> = job =>
  job.read(async scope => {
    const agents = await agentsOf(scope);
    const schemas = (await listSchemas(scope)).map(({ arguments: _, ...schema }) => schema);
    return { code: 200, data: { agents: agents.map(agentEntryOf), schemas } };
  });

const DEFAULT_LIMIT = 20;

export const readAgent: Handler<'readAgent'> = ({ body: { id, limit = DEFAULT_LIMIT }, read }) =>
  read(async scope => {
    const stored = await findAgent(scope, { id });
    if (!stored) return failure('agent-not-found');
    const runs = await listAgentRuns(scope, stored.agentName, limit);
    return { code: 200, data: { agent: agentEntryOf(stored), schema: stored.arguments, runs } };
  });

export function agentEntryOf(stored: Agent): DataOf<'saveAgent'> {
  const { arguments: _, deleted: _deleted, ...agent } = stored;
  return { ...agent, frontSchema: frontSchemaOf(stored) };
}

type RequestedAgent = BodyOf<'generateAgent'>['agent'];
type Fields = Readonly<Record<string, FormField>>;

const MAX_ATTEMPTS = 2;

/** A model fills in the form of an agent. An invalid answer is sent back once, with its errors. */
export function makeGenerateAgent({
  db,
  model,
  log,
}: {
  readonly db: Db;
  readonly model: Model;
  readonly log: Logger;
}): Handler<'generateAgent'> {
  return async job => {
    const { agent, instructions } = job.body;
    const fields = agent.frontSchema.properties as Fields;
    // A form without fields needs no model call.
    if (Object.keys(fields).length === 0) return { code: 200, data: fillForm(agent, {}) };
    const answerSchema = { name: 'agent_form', schema: formSchemaOf(fields) };
    const { hostId, signal, remainingMs } = job;
    const host = await withHost(db, hostId, findHost);
    if (host?.disabled) return failure('interrupted', { hint: HOST_DISABLED });
    const masking = host?.mask ? makeMasking() : NO_MASKING;
    const spender: Spender = { hostId, hasBudget: host !== undefined && hasBudget(host), remainingMs };
    const { modelFallbacks: fallbacks = [] } = host ?? {};
    const asked = { spender, masking, fallbacks, signal, remainingMs, answerSchema };
    const options = { purpose: 'agent', ...asked } as const;
    let messages = agentFormPromptOf({ ...formOf(agent), fields }, instructions);
    let errors: readonly FieldError[] = [];
    let calls: readonly ModelCall[] = [];
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const { answer, calls: more } = await model.complete(undefined, messages, options);
      calls = [...calls, ...more];
      if (!answer) break;
      const read = parseForm(fields, answer.text);
      if ('values' in read) return { code: 200, data: fillForm(agent, read.values) };
      errors = read.errors;
      messages = [...messages, ...repairRequestOf(answer.text, errors)];
    }
    const refused = spendFailureOf(calls);
    if (refused) return refused;
    const { requestId, jobId } = job;
    const line = { event: 'agent.form_failed', requestId, jobId, calls, errors: errors.length };
    log.warn(line, 'failed to fill in the form of an agent');
    return failure('model-unavailable');
  };
}

function formOf({
  agentName = '',
  frontName = '',
  description = '',
  schemaName = '',
  frontSchema,
}: RequestedAgent) {
  return frontSchemaOf({ agentName, frontName, description, schemaName, arguments: {}, frontSchema });
}

function fillForm(agent: RequestedAgent, values: Readonly<Record<string, unknown>>): DataOf<'generateAgent'> {
  const form = formOf(agent);
  const properties = Object.entries(form.properties).map(([name, property]) => [
    name,
    { ...property, value: values[name] },
  ]);
  return { ...form, properties: Object.fromEntries(properties) };
}
