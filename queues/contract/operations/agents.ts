import { operation } from '../operation.ts';
import {
  answerList,
  anyValue,
  field,
  flag,
  list,
  mapOf,
  object,
  oneOf,
  openObject,
  optional,
  text,
  uuid,
} from '../shape.ts';
import { AGENT_ID, HOST_ID, SCHEMA_ID } from './example-ids.ts';
import { choosenHostId, createdAt, deleted, hostId, ownHostId, updatedAt } from './fields.ts';
import { SVC } from './paths.ts';

const MOST_PROPERTIES = 100;
/** As many as providers of models take. */
const MOST_VALUES = 500;
const LONGEST_INSTRUCTIONS = 16_000;

const properties = { max: MOST_PROPERTIES };
const words = text({ min: 0, max: 8_000 });
const property = {
  type: field('JSON type of the value.', oneOf('string', 'number', 'integer', 'boolean', 'array', 'object')),
  default: field('Value to begin with where nothing else is known; of any JSON type.', anyValue()),
  description: field('What the value means; tells the model what to fill in.', words),
};
const form = {
  id: field('Identifier of the form, as its author chose it; may be empty.', words),
  type: field('Always `object`: a form is a set of named values.', oneOf('object')),
  title: field('Heading of the form, shown to people.', words),
  schema: field('Address of the JSON Schema dialect that the form is written in; may be empty.', words),
  required: field('Names of the properties that need a value.', list(text(), properties)),
  description: field('What the form is for.', words),
};
const formProperties = 'The fields of the form, by name.';

const agentFields = {
  id: field('Id of the agent.', uuid()),
  createdAt,
  updatedAt,
  agentName: field('Name by which the model calls the agent, and flows refer to it.', text()),
  description: field('What the agent does; tells the model when to run it.', words),
  schemaName: field('Name of the schema whose values the agent takes.', text()),
  schemaId: field('Id of that schema, as in `schemas` of agentsListHelper.', uuid()),
  lucideIcon: field('Name of the Lucide icon to show beside the agent; may be empty.', words),
  frontName: field('Name of the agent as people see it.', words),
  advanced: field('Whether the agent is meant for experienced editors of flows; runs alike.', flag()),
};
const frontSchema = 'The form of the agent: a JSON Schema of the values that it takes.';

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
  description: field('What the values of the schema describe.', words),
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
  summary: 'The agents of a host, and their schemas',
  description:
    'An agent is a task that the assistant may run. Deleted schemas are listed, deleted agents not.',
  queue: 'catalog',
  tag: 'agents',
  method: 'POST',
  path: `${SVC}/agentsListHelper`,
  body: object({ hostId, choosenHostId }),
  data: object({
    agents: field('The agents of the host; deleted ones are left out.', answerList(agent)),
    schemas: field(
      'The schemas of the host, deleted ones too: older flows may still name them.',
      answerList(schema),
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

/** What else JSON Schema says of a property is heeded where it can be. */
const propertyInput = openObject({
  type: property.type,
  default: optional(property.default),
  description: optional(property.description),
  enum: field(
    'The only values that it may have. When absent: any of its type.',
    optional(list(anyValue(), { max: MOST_VALUES })),
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
  value: field('What the model filled in; of the declared `type`.', anyValue()),
});

export const generateAgent = operation({
  summary: 'Fill in the form of an agent as instructed',
  description:
    'Works on the agent as it is sent, stored or not. A model writes the values; each is of its declared type.',
  queue: 'turns',
  tag: 'agents',
  method: 'POST',
  path: `${SVC}/generateAgentHelper`,
  body: object({
    agent: field('The agent whose form is to be filled in; only `frontSchema` is needed.', agentInput),
    instructions: field(
      'What to fill in, in plain words: what is known of the case, and how to treat what is not.',
      text({ max: LONGEST_INSTRUCTIONS }),
    ),
    hostId: ownHostId,
    choosenHostId,
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
