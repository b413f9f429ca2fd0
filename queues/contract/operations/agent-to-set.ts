import { field, freeObject, mapOf, object, optional, patternText } from '../shape.ts';
import { form, formProperties, frontSchema, property, propertyLimit } from './agent-form-shape.ts';
import { agentFields } from './agent-shape.ts';

/*
 * Agents and schemas as they are written: by `npm run agent`, which checks its file with these shapes, and by
 * saveAgentHelper.
 */

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
