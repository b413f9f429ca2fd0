import { operation } from '../operation.ts';
import { field, flag, object, optional, optionalFields, uuid } from '../shape.ts';
import { words } from './agent-form-shape.ts';
import { agent, agentFields, exampleAgent } from './agent-shape.ts';
import { agentFieldsToSet, agentName, argumentsSchema, schemaName } from './agent-to-set.ts';
import { AGENT_ID, HOST_ID } from './example-ids.ts';
import { hostFields } from './fields.ts';
import { SVC } from './paths.ts';

export const saveAgent = operation({
  effect: 'changes',
  summary: 'Create or update an agent',
  description:
    'The agent of that name is created, or updated and restored if it was deleted; omitted fields stay unchanged, and are empty for a new agent. ' +
    'With `schema`, the schema of that name is created or replaced, for all agents that use it. A flow names the agents that it may run.',
  queue: 'catalog',
  tag: 'agents',
  method: 'POST',
  path: `${SVC}/saveAgentHelper`,
  body: object({
    ...hostFields,
    agentName,
    schemaName: field(
      'Name of the schema of the agent’s arguments; required to create an agent. When absent: unchanged.',
      optional(schemaName),
    ),
    schema: field(
      'JSON Schema of the arguments: `type` is `object`, at most 64,000 characters, `$ref` only within it. When absent: that schema must exist, and stays as it is.',
      optional(argumentsSchema),
    ),
    schemaDescription: field(
      'Meaning of the values of the schema; only with `schema`. When absent: unchanged.',
      optional(words),
    ),
    ...optionalFields(agentFieldsToSet),
  }),
  data: agent,
  example: {
    body: {
      hostId: HOST_ID,
      agentName: 'registrar_interesse',
      schemaName: 'interesse',
      schema: {
        type: 'object',
        required: ['curso'],
        properties: { curso: { type: 'string', description: 'Curso que interessa à pessoa' } },
      },
      schemaDescription: 'Interesse de uma pessoa em um curso',
      description: exampleAgent.description,
      frontSchema: exampleAgent.frontSchema,
      frontName: exampleAgent.frontName,
      lucideIcon: exampleAgent.lucideIcon,
      advanced: exampleAgent.advanced,
    },
    data: exampleAgent,
  },
  status: 200,
  refusals: ['schema-not-found', 'host-full'],
  scope: 'manage',
  hosts: 'one',
});

export const deleteAgent = operation({
  effect: 'changes',
  summary: 'Delete an agent',
  description:
    'No turn offers it any more; steps of flows that name it are skipped. Idempotent. Its schema stays. saveAgentHelper with its name restores it.',
  queue: 'catalog',
  tag: 'agents',
  method: 'POST',
  path: `${SVC}/deleteAgentHelper`,
  body: object({
    ...hostFields,
    id: field('Id of the agent, as returned by agentsListHelper.', uuid()),
  }),
  data: object({
    id: agentFields.id,
    agentName: agentFields.agentName,
    deleted: field('Whether the agent is deleted: true.', flag()),
  }),
  example: {
    body: { hostId: HOST_ID, id: AGENT_ID },
    data: { id: AGENT_ID, agentName: 'registrar_interesse', deleted: true },
  },
  status: 200,
  refusals: ['agent-not-found'],
  scope: 'manage',
  hosts: 'one',
});
