import { type Refusal, refusals } from '../../queues/contract/failure.ts';
import type { Operation } from '../../queues/contract/operation.ts';
import { field, object, oneOf, text } from '../../queues/contract/shape.ts';
import { bodyBounds } from '../guards/json-bounds.ts';
import { messages } from '../replies/envelope.ts';
import { type Json, jsonSchemaOf } from './json-schema-of.ts';
import { failureOf, listFailureRefs } from './openapi-failures.ts';
import { headersOf, headersOfAccepted, listHeaderRefs } from './openapi-response-headers.ts';

const message = field('Description of the result; may change, so do not parse it.', text());

export function responsesOf(operation: Operation): Json {
  const { status, mayRespondAsync, mayStream, responseForm } = operation;
  const headers = listHeaderRefs(headersOf(status));
  const json = toJsonContent(successSchema(operation), successOf(operation));
  const success = { content: { ...json.content, ...(mayStream ? eventContent : {}) }, headers };
  const reasons = reasonsOf(operation);
  return {
    [status]: { description: 'Success', ...success },
    ...(mayRespondAsync ? { 202: accepted } : {}),
    ...listFailureRefs(reasons),
    ...(responseForm === 'health' ? { 503: downOr(operation, reasons) } : {}),
  };
}

/** A health operation also responds with 503 as a success. */
function downOr({ data, example }: Operation, reasons: readonly Refusal[]): Json {
  const unavailable = reasons.filter(reason => refusals[reason][0] === 503);
  const { content, ...rest } = failureOf(503, unavailable) as {
    content: { 'application/json': { examples: Json; schema: Json } };
  };
  const { examples, schema: refused } = content['application/json'];
  const down = { summary: 'A component is down', value: { ...(example.data as Json), status: 'down' } };
  const schema = { anyOf: [jsonSchemaOf(data), refused] };
  return { ...rest, content: { 'application/json': { schema, examples: { down, ...examples } } } };
}

function successSchema({ responseForm, data, status }: Operation): Json {
  if (responseForm) return jsonSchemaOf(data);
  return envelopeSchema(status, jsonSchemaOf(data));
}

export function envelopeSchema(status: number, data: Json): Json {
  const properties = {
    code: { const: status, description: 'HTTP status of the response.' },
    message: jsonSchemaOf(message),
    data: { ...data, description: data['description'] ?? 'Data of the response.' },
  };
  return { type: 'object', properties, required: Object.keys(properties) };
}

function successOf({ status, example, responseForm }: Operation): Json {
  if (responseForm) return example.data as Json;
  return { code: status, message: messages[status], data: example.data };
}

/** The response to `Accept: text/event-stream`. */
const eventContent = {
  'text/event-stream': {
    schema: jsonSchemaOf(
      field(
        'Server-sent events: first `heard` `{"text"}` with the question where a recording is attached, `delta` `{"text"}` with the next piece of the answer, `replace` `{"text"}` where all pieces so far are void (after a tool call, ' +
          'a fallback or a failure), then one `answer` with the envelope of the JSON response, or `error` with the envelope of an error response.',
        text(),
      ),
    ),
    example: 'event: delta\ndata: {"text":"A secretaria "}\n\n',
  },
};

/** Requests may have undeclared fields, which are ignored; responses have none. */
export function toJsonBody(schema: Json, example: unknown, required: boolean): Json {
  return { description: bodyBounds, required, ...toJsonContent(allowExtraFields(schema) as Json, example) };
}

/** A body of records may be a form, too, or JSON that is declared as a text. */
export function withForms(body: Json): Json {
  const form = field(
    'A record as a form: `email=…`, or with brackets, `fields[email][value]=…`. A name with `[]` or several times is a list.',
    text(),
  );
  const undeclared = field('The same as `application/json`; so is a body without a Content-Type.', text());
  const content = {
    ...(body['content'] as Json),
    'application/x-www-form-urlencoded': { schema: { ...jsonSchemaOf(form), type: 'object' } },
    'text/plain': { schema: jsonSchemaOf(undeclared) },
  };
  return { ...body, content };
}

function allowExtraFields(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(allowExtraFields);
  if (schema === null || typeof schema !== 'object') return schema;
  const entries = Object.entries(schema).filter(
    ([key, value]) => key !== 'additionalProperties' || value !== false,
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, allowExtraFields(value)]));
}

export function toJsonContent(schema: Json, example: unknown) {
  return { content: { 'application/json': { schema, example } } };
}

/** The refusals of the shared middlewares and the queue, then of the operation. */
export function reasonsOf({ method, scope, hosts, takesRecords, refusals: own }: Operation): Refusal[] {
  const all: Refusal[] = [
    'request-unreadable',
    'body-invalid',
    'unauthorized',
    ...(scope === undefined ? [] : (['forbidden'] as const)),
    'host-forbidden',
    'host-disabled',
    'method-not-allowed',
    ...(hosts === 'one' ? (['host-not-chosen'] as const) : []),
    ...(takesRecords ? [] : (['deadline'] as const)),
    ...(method === 'POST'
      ? ([
          'body-not-json',
          'body-in-small-chunks',
          'body-too-large',
          'body-not-supported',
          'key-reused',
        ] as const)
      : []),
    'expectation-failed',
    'too-many-requests',
    'headers-too-large',
    'internal',
    'overloaded',
    'unavailable',
    'interrupted',
    ...own,
  ];
  return [...new Set(all)];
}

const accepted: Json = {
  description: 'Accepted: the reply will be available at /jobs/{jobId}',
  headers: listHeaderRefs(headersOfAccepted),
  ...toJsonContent(
    envelopeSchema(
      202,
      jsonSchemaOf(
        object({
          jobId: field('Id of the job; GET /jobs/{jobId} returns its status.', text()),
          state: field('Always `queued`: accepted, not started.', oneOf('queued')),
        }),
      ),
    ),
    {
      code: 202,
      message: messages[202],
      data: { jobId: 'kf462b110884f4885a8d573c607918cac', state: 'queued' },
    },
  ),
};
