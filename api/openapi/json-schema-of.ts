import type { Shape } from '../../queues/contract/shape.ts';

export type Json = { [key: string]: unknown };

/** The JSON Schema that Joi generates, simplified so that other tools can read it. */
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
    // Joi describes a map by `patternProperties`, which client generators do not support.
    ...(values === undefined ? {} : { additionalProperties: simplifySchema(values) }),
  };
}

/** Keys here are property names, not keywords: a property may be called `properties`. */
function simplifyEach(properties: Json): Json {
  return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, simplifySchema(inner)]));
}

/** Joi omits `additionalProperties` for open objects, and some tools take that for closed. */
function isOpen(schema: Json): boolean {
  return schema['additionalProperties'] !== false;
}
