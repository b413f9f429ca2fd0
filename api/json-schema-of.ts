import type { Shape } from '../queues/shape.ts';

export type Json = { [key: string]: unknown };

/** The shape as JSON Schema, as Joi itself tells it. */
export function jsonSchemaOf(shape: Shape<unknown>): Json {
  const { $schema: _dialect, ...schema } = shape['~standard'].jsonSchema.input({
    target: 'draft-2020-12',
  }) as Json;
  return schema;
}
