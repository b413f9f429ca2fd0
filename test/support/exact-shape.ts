import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { jsonSchemaOf } from '../../api/openapi/json-schema-of.ts';
import type { Shape } from '../../queues/contract/shape.ts';

type Json = { [key: string]: unknown };

const ajv = new Ajv2020({ allErrors: true, strict: false });
formats.default(ajv);

/** How this answer differs from its declared shape; undeclared fields count, too. */
export function shapeErrors(shape: Shape<unknown>, answer: unknown): string[] {
  const check = ajv.compile(closeSchema(jsonSchemaOf(shape)) as Json);
  check(answer);
  return (check.errors ?? []).map(({ instancePath, message, params }) =>
    `${instancePath} ${message} ${JSON.stringify(params)}`.trim(),
  );
}

function closeSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeSchema);
  if (schema === null || typeof schema !== 'object') return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closeSchema(value)]));
  return 'properties' in schema ? { ...inner, additionalProperties: false } : inner;
}
