import type { Operation } from '../queues/operation.ts';
import { operationNames, operationOf } from '../queues/operations/index.ts';
import { type Json, jsonSchemaOf } from './json-schema-of.ts';
import { failureSchema, responsesOf } from './openapi-responses.ts';

/** The whole API as an OpenAPI 3.1 document, made from the same operations as its routes. */
export function openApiDocument(version: string): Json {
  const paths: Record<string, Json> = {};
  for (const name of operationNames) {
    const operation = operationOf(name);
    [operation.path, ...(operation.aliases ?? [])].forEach((path, at) => {
      const id = at === 0 ? name : `${name}Alias${at}`;
      paths[templateOf(path)] = { [operation.method.toLowerCase()]: pathItemOf(id, operation) };
    });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version,
      description: 'A question over HTTP, the assistant’s answer in the same call.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: [
      { name: 'turns', description: 'Asking the assistant' },
      { name: 'catalog', description: 'What stands around it' },
      { name: 'intake', description: 'Records of a CRM, coming in' },
      { name: 'search', description: 'The index of conversations, leads and tickets' },
    ],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Failure: failureSchema },
    },
  };
}

function pathItemOf(operationId: string, operation: Operation): Json {
  return {
    operationId,
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    tags: [operation.queue],
    parameters: parametersOf(operation),
    ...(operation.method === 'POST' ? { requestBody: bodyOf(operation) } : {}),
    responses: responsesOf(operation),
  };
}

function parametersOf(operation: Operation): Json[] {
  const inPath = [...operation.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
  const properties = jsonSchemaOf(operation.body)['properties'] as Json | undefined;
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  });
  return [
    ...inPath.map(name => ({
      name,
      in: 'path',
      required: true,
      schema: properties?.[name] ?? { type: 'string' },
    })),
    ...(operation.hosts === 'one'
      ? [header('x-choosen-host-id', 'The host, where the token spans several')]
      : []),
    ...(operation.method === 'POST'
      ? [header('Idempotency-Key', 'Retries under one key get one answer')]
      : []),
    ...(operation.mayRespondAsync
      ? [header('Prefer', 'respond-async: 202 at once, the reply at /jobs/{jobId}')]
      : []),
  ];
}

function bodyOf({ body, example }: Operation): Json {
  const schema = opened(jsonSchemaOf(body));
  return { required: true, content: { 'application/json': { schema, example: example.body } } };
}

/** Fields that nobody declared are ignored in what is sent; in what is answered there are none. */
function opened(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(opened);
  if (schema === null || typeof schema !== 'object') return schema;
  const kept = Object.entries(schema).filter(
    ([key, value]) => key !== 'additionalProperties' || value !== false,
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, opened(value)]));
}

/** Koa's `/jobs/:jobId` is OpenAPI's `/jobs/{jobId}`. */
function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}
