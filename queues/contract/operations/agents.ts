import { operation } from '../operation.ts';
import {
  anyValue,
  field,
  flag,
  list,
  mapOf,
  object,
  oneOf,
  openObject,
  optional,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import { AGENT_ID, HOST_ID, SCHEMA_ID } from './example-ids.ts';
import { createdAt, deleted, hostFields, ownHostFields, updatedAt } from './fields.ts';
import { SVC } from './paths.ts';

const MAX_PROPERTIES = 100;
/** The limit of model providers. */
const MAX_VALUES = 500;
const MAX_INSTRUCTIONS_LENGTH = 16_000;

const properties = { max: MAX_PROPERTIES };
const words = text({ min: 0, max: 8_000 });
const property = {
  type: field('JSON type of the value.', oneOf('string', 'number', 'integer', 'boolean', 'array', 'object')),
  default: field('Default value, of any JSON type.', anyValue()),
  description: field('Meaning of the value; tells the model what to fill in.', words),
};
const form = {
  id: field('Identifier of the form, chosen by its author; may be empty.', words),
  type: field('Always `object`: a form is a set of named values.', oneOf('object')),
  title: field('Title of the form, shown to people.', words),
  schema: field('URI of the JSON Schema dialect of the form; may be empty.', words),
  required: field('Names of the required properties.', list(text(), properties)),
  description: field('Purpose of the form.', words),
};
const formProperties = 'The fields of the form, by name.';

const agentFields = {
  id: field('Id of the agent.', uuid()),
  createdAt,
  updatedAt,
  agentName: field('Name by which the model calls the agent and flows refer to it.', text()),
  description: field('What the agent does; tells the model when to run it.', words),
  schemaName: field('Name of the schema of the agent’s values.', text()),
  schemaId: field('Id of that schema, as in `schemas` of agentsListHelper.', uuid()),
  lucideIcon: field('Name of the Lucide icon to show beside the agent; may be empty.', words),
  frontName: field('Name of the agent as people see it.', words),
  advanced: field(
    'Whether the agent is meant for experienced flow editors; does not change how it runs.',
    flag(),
  ),
};
const frontSchema = 'Form of the agent: a JSON Schema of the values that it takes.';

const agent = object({
  ...agentFields,
  frontSchema: field(
    frontSchema,
    object({ ...form, properties: field(formProperties, mapOf(object(property), properties)) }),
  ),
});

const schema = object({
  id: field('Id of the schema.', uuid()),
  createdAt,
  updatedAt,
  schemaName: field('Name by which agents and flows refer to the schema.', text()),
  description: field('Meaning of the values of the schema.', words),
  deleted,
});

const exampleForm = {
  id: 'interesse',
  type: 'object' as const,
  title: 'Registrar interesse',
  schema: 'https://json-schema.org/draft/2020-12/schema',
  required: ['curso'],
  description: 'Registra o interesse de uma pessoa em um curso.',
};
const exampleCurso = { type: 'string' as const, default: '', description: 'Curso que interessa à pessoa' };
const exampleAgent = {
  id: AGENT_ID,
  createdAt: '2026-01-12T12:00:00.000Z',
  updatedAt: '2026-01-12T12:00:00.000Z',
  agentName: 'registrar_interesse',
  description: 'Registra o interesse de uma pessoa em um curso.',
  frontSchema: { ...exampleForm, properties: { curso: exampleCurso } },
  schemaName: 'interesse',
  schemaId: SCHEMA_ID,
  lucideIcon: 'user-plus',
  frontName: 'Registrar interesse',
  advanced: false,
};

export const listAgents = operation({
  summary: 'List the agents and schemas of a host',
  description:
    'An agent is a task that the assistant may run. Deleted agents are omitted; deleted schemas are listed.',
  queue: 'catalog',
  tag: 'agents',
  method: 'POST',
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
  status: 200,
  refusals: [],
  scope: 'manage',
  hosts: 'one',
});

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
      properties: field(formProperties, mapOf(propertyInput, properties)),
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
  summary: 'Fill in the form of an agent',
  description:
    'The model fills in the form according to `instructions`; each value has its declared type. The agent is taken from the request and need not be stored.',
  queue: 'turns',
  tag: 'agents',
  method: 'POST',
  path: `${SVC}/generateAgentHelper`,
  body: object({
    agent: field('The agent whose form to fill in; only `frontSchema` is required.', agentInput),
    instructions: field(
      'Instructions in natural language: the known facts, and what to do about unknown ones.',
      text({ max: MAX_INSTRUCTIONS_LENGTH }),
    ),
    ...ownHostFields,
  }),
  data: object({ ...form, properties: field(formProperties, mapOf(filledProperty, properties)) }),
  example: {
    body: { agent: exampleAgent, instructions: 'A pessoa quer saber do curso de Direito.' },
    data: { ...exampleForm, properties: { curso: { ...exampleCurso, value: 'Direito' } } },
  },
  status: 200,
  refusals: ['model-unavailable'],
  scope: 'manage',
  hosts: 'one',
});
