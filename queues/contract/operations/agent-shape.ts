import {
  anyValue,
  field,
  flag,
  freeObject,
  list,
  mapOf,
  object,
  oneOf,
  optional,
  patternText,
  text,
  uuid,
} from '../shape.ts';
import { AGENT_ID, SCHEMA_ID } from './example-ids.ts';
import { createdAt, updatedAt } from './fields.ts';

const MAX_PROPERTIES = 100;

export const propertyLimit = { max: MAX_PROPERTIES };
export const words = text({ min: 0, max: 8_000 });
export const property = {
  type: field('JSON type of the value.', oneOf('string', 'number', 'integer', 'boolean', 'array', 'object')),
  default: field('Default value, of any JSON type.', anyValue()),
  description: field('Meaning of the value; tells the model what to fill in.', words),
};
export const form = {
  id: field('Identifier of the form, chosen by its author; may be empty.', words),
  type: field('Always `object`: a form is a set of named values.', oneOf('object')),
  title: field('Title of the form, shown to people.', words),
  schema: field('URI of the JSON Schema dialect of the form; may be empty.', words),
  required: field('Names of the required properties.', list(text(), propertyLimit)),
  description: field('Purpose of the form.', words),
};
export const formProperties = 'The fields of the form, by name.';

export const frontSchema = 'Form of the agent: a JSON Schema of the values that it takes.';

export const exampleForm = {
  id: 'interesse',
  type: 'object' as const,
  title: 'Registrar interesse',
  schema: 'https://json-schema.org/draft/2020-12/schema',
  required: ['curso'],
  description: 'Registra o interesse de uma pessoa em um curso.',
};

export const exampleCurso = {
  type: 'string' as const,
  default: '',
  description: 'Curso que interessa à pessoa',
};

export const agentFields = {
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

export const agent = object({
  ...agentFields,
  frontSchema: field(
    frontSchema,
    object({ ...form, properties: field(formProperties, mapOf(object(property), propertyLimit)) }),
  ),
});

export const exampleAgent = {
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

/* The form of agents and schemas in writing, for one and for many. */

/** The name of a function: model providers accept no other characters. */
export const agentName = field(
  'Name by which the model calls the agent and flows refer to it: 1 to 64 letters without accents, digits, `_` and `-`.',
  patternText(/^[A-Za-z0-9_-]{1,64}$/, '1 to 64 letters without accents, digits, `_` and `-`'),
);
export const schemaName = agentFields.schemaName;
export const argumentsSchema = field(
  'JSON Schema of the arguments of an agent: of an object, at most 64,000 characters, `$ref` only within it.',
  freeObject(),
);

const properties = mapOf(
  object({
    type: property.type,
    default: optional(property.default),
    description: optional(property.description),
  }),
  propertyLimit,
);

export const agentFieldsToSet = {
  description: agentFields.description,
  frontSchema: field(
    `${frontSchema} What it leaves out is derived from the schema.`,
    object({
      id: optional(form.id),
      type: optional(form.type),
      title: optional(form.title),
      schema: optional(form.schema),
      required: optional(form.required),
      properties: field(formProperties, optional(properties)),
      description: optional(form.description),
    }),
  ),
  frontName: agentFields.frontName,
  lucideIcon: agentFields.lucideIcon,
  advanced: agentFields.advanced,
};
