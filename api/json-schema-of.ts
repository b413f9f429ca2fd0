import type { Shape } from '../queues/contract/shape.ts';

export type Json = { [key: string]: unknown };

/** The shape as JSON Schema, as Joi tells it, in the words that other tools read. */
export function jsonSchemaOf(shape: Shape<unknown>): Json {
  const { $schema: _dialect, ...schema } = shape['~standard'].jsonSchema.input({
    target: 'draft-2020-12',
  }) as Json;
  return simplifySchema(schema) as Json;
}

function simplifySchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplifySchema);
  if (schema === null || typeof schema !== 'object') return schema;
  const { properties, patternProperties, ...rest } = schema as { [keyword: string]: Json | undefined };
  const values = patternProperties?.['.*'];
  return {
    ...Object.fromEntries(Object.entries(rest).map(([keyword, inner]) => [keyword, simplifySchema(inner)])),
    ...(properties ? { properties: simplifyEach(properties), additionalProperties: isOpen(rest) } : {}),
    // A map of any names: Joi says so by a pattern, which makers of clients do not read.
    ...(values === undefined ? {} : { additionalProperties: simplifySchema(values) }),
  };
}

/** Names are no keywords: a property may be called `properties`. */
function simplifyEach(properties: Json): Json {
  return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, simplifySchema(inner)]));
}

/** Joi says nothing of what is open, and tools take that for closed. */
function isOpen(schema: Json): boolean {
  return schema['additionalProperties'] !== false;
}
