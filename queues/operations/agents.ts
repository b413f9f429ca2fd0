import { operation } from '../operation.ts';
import {
  answerList,
  anything,
  dateTime,
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
import { SVC } from './paths.ts';

const MOST_PROPERTIES = 100;
/** As many as providers of models take. */
const MOST_VALUES = 500;
const LONGEST_INSTRUCTIONS = 16_000;

const properties = { max: MOST_PROPERTIES };
const words = text({ min: 0, max: 8_000 });
const type = oneOf('string', 'number', 'integer', 'boolean', 'array', 'object');
const property = { type, default: anything(), description: words };
const requiredNames = list(text(), properties);
const form = {
  id: words,
  type: oneOf('object'),
  title: words,
  schema: words,
  required: requiredNames,
  description: words,
};

const agent = object({
  id: uuid(),
  createdAt: dateTime(),
  updatedAt: dateTime(),
  agentName: text(),
  description: words,
  frontSchema: object({ ...form, properties: mapOf(object(property), properties) }),
  schemaName: text(),
  schemaId: uuid(),
  lucideIcon: words,
  frontName: words,
  advanced: flag(),
});

const schema = object({
  id: uuid(),
  createdAt: dateTime(),
  updatedAt: dateTime(),
  schemaName: text(),
  description: words,
  deleted: flag(),
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
  method: 'POST',
  path: `${SVC}/agentsListHelper`,
  body: object({ hostId: uuid(), choosenHostId: optional(uuid()) }),
  data: object({ agents: answerList(agent), schemas: answerList(schema) }),
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

export const generateAgent = operation({
  summary: 'Fill in the form of an agent as instructed',
  description:
    'Works on the agent as it is sent, stored or not. A model writes the values; each is of its declared type.',
  queue: 'turns',
  method: 'POST',
  path: `${SVC}/generateAgentHelper`,
  body: object({
    agent: object({
      id: optional(uuid()),
      createdAt: optional(dateTime()),
      updatedAt: optional(dateTime()),
      agentName: optional(text()),
      description: optional(words),
      frontSchema: object({
        id: optional(words),
        type: optional(oneOf('object')),
        title: optional(words),
        schema: optional(words),
        required: optional(requiredNames),
        // What else JSON Schema says of a property is heeded where it can be.
        properties: mapOf(
          openObject({
            type,
            default: optional(anything()),
            description: optional(words),
            enum: optional(list(anything(), { max: MOST_VALUES })),
          }),
          properties,
        ),
        description: optional(words),
      }),
      schemaName: optional(text()),
      schemaId: optional(uuid()),
      lucideIcon: optional(words),
      frontName: optional(words),
      advanced: optional(flag()),
    }),
    instructions: text({ max: LONGEST_INSTRUCTIONS }),
    hostId: optional(uuid()),
    choosenHostId: optional(uuid()),
  }),
  data: object({
    ...form,
    properties: mapOf(object({ ...property, value: anything() }), properties),
  }),
  example: {
    body: { agent: exampleAgent, instructions: 'A pessoa quer saber do curso de Direito.' },
    data: { ...exampleForm, properties: { curso: { ...exampleCurso, value: 'Direito' } } },
  },
  status: 200,
  refusals: ['model-unavailable'],
  scope: 'manage',
  hosts: 'one',
});
