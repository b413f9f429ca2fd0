import { operation } from '../operation.ts';
import { anyValue, field, list, mapOf, object, openObject, optional, text } from '../shape.ts';
import {
  exampleCurso,
  exampleForm,
  form,
  formProperties,
  frontSchema,
  property,
  propertyLimit,
} from './agent-form-shape.ts';
import { agentFields, exampleAgent } from './agent-shape.ts';
import { HOST_ID } from './example-ids.ts';
import { createdAt, ownHostFields, updatedAt } from './fields.ts';
import { SVC } from './paths.ts';

/** The limit of model providers. */
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
  data: object({ ...form, properties: field(formProperties, mapOf(filledProperty, propertyLimit)) }),
  example: {
    body: {
      hostId: HOST_ID,
      agent: exampleAgent,
      instructions: 'A pessoa quer saber do curso de Direito.',
    },
    data: { ...exampleForm, properties: { curso: { ...exampleCurso, value: 'Direito' } } },
  },
  status: 200,
  refusals: ['budget-exceeded', 'model-unavailable', 'model-without-price'],
  scope: 'manage',
  hosts: 'one',
});
