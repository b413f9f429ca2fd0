import { operation } from '../operation.ts';
import {
  anyValue,
  field,
  flag,
  list,
  mapOf,
  object,
  openObject,
  optional,
  optionalFields,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import {
  agent,
  agentFields,
  agentFieldsToSet,
  agentName,
  argumentsSchema,
  exampleAgent,
  exampleCurso,
  exampleForm,
  form,
  formProperties,
  frontSchema,
  property,
  propertyLimit,
  schemaName,
  words,
} from './agent-shape.ts';
import { AGENT_ID, HOST_ID, SCHEMA_ID } from './example-ids.ts';
import { createdAt, deleted, hostFields, ownHostFields, updatedAt } from './fields.ts';
import { SVC } from './paths.ts';

const schema = object({
  id: field('Id of the schema.', uuid()),
  createdAt,
  updatedAt,
  schemaName: field('Name by which agents and flows refer to the schema.', text()),
  description: field('Meaning of the values of the schema.', words),
  deleted,
});

export const listAgents = operation({
  effect: 'reads',
  summary: 'List the agents and schemas of a host',
  description:
    'An agent is a task that the assistant may run. Deleted agents are omitted; deleted schemas are listed.',
  weight: { kind: 'list', connections: 1 },
  tag: 'agents',
  path: `${SVC}/agentsListHelper`,
  body: object(hostFields),
  data: object({
    agents: field('The agents of the host, without deleted ones.', responseList(agent)),
    schemas: field(
      'The schemas of the host, including deleted ones, which older flows may still refer to.',
      responseList(schema),
    ),
  }),
  example: {
    body: { hostId: HOST_ID },
    data: {
      agents: [exampleAgent],
      schemas: [
        {
          id: SCHEMA_ID,
          createdAt: '2026-01-12T12:00:00.000Z',
          updatedAt: '2026-01-12T12:00:00.000Z',
          schemaName: 'interesse',
          description: 'Interesse em um curso',
          deleted: false,
        },
      ],
    },
  },
  scope: 'manage',
});

/** Model providers have this limit. */
const MAX_VALUES = 500;
const MAX_INSTRUCTIONS_LENGTH = 16_000;

/** Open: other JSON Schema keywords are passed on where the model provider supports them. */
const propertyInput = openObject({
  type: property.type,
  default: optional(property.default),
  description: optional(property.description),
  enum: field(
    'Allowed values. When absent: any value of the type.',
    optional(list(anyValue(), { max: MAX_VALUES })),
  ),
});
const agentInput = object({
  id: optional(agentFields.id),
  createdAt: optional(createdAt),
  updatedAt: optional(updatedAt),
  agentName: optional(agentFields.agentName),
  description: optional(agentFields.description),
  frontSchema: field(
    frontSchema,
    object({
      id: optional(form.id),
      type: optional(form.type),
      title: optional(form.title),
      schema: optional(form.schema),
      required: optional(form.required),
      properties: field(formProperties, mapOf(propertyInput, propertyLimit)),
      description: optional(form.description),
    }),
  ),
  schemaName: optional(agentFields.schemaName),
  schemaId: optional(agentFields.schemaId),
  lucideIcon: optional(agentFields.lucideIcon),
  frontName: optional(agentFields.frontName),
  advanced: optional(agentFields.advanced),
});
const filledProperty = object({
  ...property,
  value: field('Value that the model filled in, of the declared `type`.', anyValue()),
});

export const generateAgent = operation({
  effect: 'adds',
  summary: 'Fill in the form of an agent',
  description:
    'The model fills in the form according to `instructions`; each value has its declared type. The agent is taken from the request and need not be stored.',
  queue: 'turns',
  tag: 'agents',
  path: `${SVC}/generateAgentHelper`,
  body: object({
    agent: field('The agent whose form to fill in; only `frontSchema` is required.', agentInput),
    instructions: field(
      'Instructions in natural language: the known facts, and what to do about unknown ones.',
      text({ max: MAX_INSTRUCTIONS_LENGTH }),
    ),
    ...ownHostFields,
  }),
  data: object({ ...form, properties: field(formProperties, mapOf(filledProperty, propertyLimit)) }),
  example: {
    body: {
      hostId: HOST_ID,
      agent: exampleAgent,
      instructions: 'A pessoa quer saber do curso de Direito.',
    },
    data: { ...exampleForm, properties: { curso: { ...exampleCurso, value: 'Direito' } } },
  },
  refusals: ['budget-exceeded', 'model-unavailable', 'model-without-price'],
  scope: 'manage',
});

export const saveAgent = operation({
  effect: 'changes',
  summary: 'Create or update an agent',
  description:
    'The agent of that name is created, or updated and restored if it was deleted; omitted fields stay unchanged, and are empty for a new agent. ' +
    'With `schema`, the schema of that name is created or replaced, for all agents that use it. A flow names the agents that it may run.',
  tag: 'agents',
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
  refusals: ['schema-not-found', 'host-full'],
  scope: 'manage',
});

const MAX_SAVED = 1_000;
const isDeleted = field('Whether it is deleted. When absent: false.', optional(flag()));

export const saveAgents = operation({
  effect: 'changes',
  summary: 'Create or replace agents and schemas together',
  description:
    'Each by its name, all or none; others stay unchanged. Omitted fields are empty, also of one that was there. An agent may name a schema of the ' +
    'request, or another one of the host.',
  tag: 'agents',
  path: `${SVC}/saveAgentsHelper`,
  body: object({
    ...hostFields,
    schemas: field(
      'The schemas, without two of one name. When absent: none.',
      optional(
        list(
          object({
            schemaName,
            schema: argumentsSchema,
            description: field('Meaning of its values. When absent: empty.', optional(words)),
            deleted: isDeleted,
          }),
          { max: MAX_SAVED },
        ),
      ),
    ),
    agents: field(
      'The agents, without two of one name. When absent: none.',
      optional(
        list(
          object({
            agentName,
            schemaName,
            ...optionalFields(agentFieldsToSet, 'empty'),
            deleted: isDeleted,
          }),
          { max: MAX_SAVED },
        ),
      ),
    ),
  }),
  data: object({ agents: field('The saved agents.', responseList(agent)) }),
  example: {
    body: {
      hostId: HOST_ID,
      schemas: [
        { schemaName: 'interesse', schema: { type: 'object', properties: { curso: { type: 'string' } } } },
      ],
      agents: [
        { agentName: 'registrar_interesse', schemaName: 'interesse', frontName: exampleAgent.frontName },
      ],
    },
    data: { agents: [exampleAgent] },
  },
  refusals: ['host-full'],
  scope: 'manage',
});

export const deleteAgent = operation({
  effect: 'changes',
  summary: 'Delete an agent',
  description:
    'No turn offers it any more; steps of flows that name it are skipped. Idempotent. Its schema stays. saveAgentHelper with its name restores it.',
  tag: 'agents',
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
  refusals: ['agent-not-found'],
  scope: 'manage',
});
