import { type Refusal, refusals } from '../queues/failure.ts';
import type { Operation } from '../queues/operation.ts';
import { operationNames, operationOf } from '../queues/operations/index.ts';
import type { Shape } from '../queues/shape.ts';
import { messages } from './envelope.ts';

type Json = { [key: string]: unknown };

/** What an operation may answer whatever it does, by what the journey does for it. */
function commonRefusalsOf({ method, scope, hosts, takesRecords }: Operation): Refusal[] {
  return [
    'body-invalid',
    'unauthorized',
    ...(scope === undefined ? [] : (['forbidden'] as const)),
    'host-forbidden',
    ...(hosts === 'one' ? (['host-not-chosen'] as const) : []),
    ...(takesRecords ? [] : (['deadline'] as const)),
    ...(method === 'POST'
      ? (['body-not-json', 'body-too-large', 'body-not-supported', 'key-reused'] as const)
      : []),
    'too-many-requests',
    'internal',
    'overloaded',
    'unavailable',
    'interrupted',
  ];
}

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
  const properties = schemaOf(operation.body)['properties'] as Json | undefined;
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
  const schema = opened(schemaOf(body));
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

function responsesOf(operation: Operation): Json {
  const given = [...commonRefusalsOf(operation), ...operation.refusals];
  const statuses = [...new Set(given.map(reason => refusals[reason][0]))].toSorted((a, b) => a - b);
  const failures = statuses.map(status => [status, failureResponse(status, given)]);
  const accepted = object({
    code: { const: 202 },
    message: { const: messages[202] },
    data: acceptedSchema,
  });
  return {
    [operation.status]: jsonResponse('Success', successSchema(operation), successOf(operation)),
    ...(operation.mayRespondAsync ? { 202: jsonResponse('Accepted', accepted) } : {}),
    ...Object.fromEntries(failures),
  };
}

function failureResponse(status: number, given: readonly Refusal[]): Json {
  const reasons = [...new Set(given.filter(reason => refusals[reason][0] === status))];
  const examples = reasons.map(reason => [
    reason,
    {
      value: {
        code: status,
        message: refusals[reason][1],
        data: { requestId: '3d1f5a52-6a0e-4a9e-8a64-3c7a7f0e1f10' },
      },
    },
  ]);
  const content = { 'application/json': { schema: failureRef, examples: Object.fromEntries(examples) } };
  return { description: reasons.map(reason => refusals[reason][1]).join('; '), content };
}

function successSchema(operation: Operation): Json {
  if (operation.answer) return schemaOf(operation.data);
  return object({
    code: { const: operation.status },
    message: { type: 'string' },
    data: schemaOf(operation.data),
  });
}

/** The shape as JSON Schema, as Joi itself tells it. */
export function schemaOf(shape: Shape<unknown>): Json {
  const { $schema: _dialect, ...schema } = shape['~standard'].jsonSchema.input({
    target: 'draft-2020-12',
  }) as Json;
  return schema;
}

/** Koa's `/jobs/:jobId` is OpenAPI's `/jobs/{jobId}`. */
function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

function successOf({ status, example, answer }: Operation): Json {
  if (answer) return example.data as Json;
  return { code: status, message: messages[status], data: example.data };
}

function jsonResponse(description: string, schema: Json, example?: Json): Json {
  return { description, content: { 'application/json': { schema, ...(example ? { example } : {}) } } };
}

function object(properties: Json, required = Object.keys(properties)): Json {
  return { type: 'object', properties, required };
}

const text = { type: 'string' };
const failureRef = { $ref: '#/components/schemas/Failure' };
const acceptedSchema = object({ jobId: text, state: { const: 'queued' } });
const failureSchema = object({
  code: { type: 'integer' },
  message: text,
  data: object(
    {
      requestId: text,
      hint: text,
      turnId: text,
      job_id: text,
      availableHosts: { type: 'array', items: object({ host_id: text, host_slug: text, host_name: text }) },
      fields: { type: 'array', items: object({ path: text, message: text }) },
    },
    ['requestId'],
  ),
});
