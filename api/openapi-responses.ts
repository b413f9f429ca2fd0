import { type Refusal, refusals } from '../queues/failure.ts';
import type { Operation } from '../queues/operation.ts';
import { messages } from './envelope.ts';
import { type Json, jsonSchemaOf } from './json-schema-of.ts';

/** Each status that an operation can answer with, and why. */
export function responsesOf(operation: Operation): Json {
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
  if (operation.answer) return jsonSchemaOf(operation.data);
  return object({
    code: { const: operation.status },
    message: { type: 'string' },
    data: jsonSchemaOf(operation.data),
  });
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

const text = { type: 'string' };
const failureRef = { $ref: '#/components/schemas/Failure' };
const acceptedSchema = object({ jobId: text, state: { const: 'queued' } });
export const failureSchema = object({
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
