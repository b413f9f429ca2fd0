import type { Operation } from '../queues/contract/operation.ts';
import { type Json, jsonSchemaOf } from './json-schema-of.ts';

/** What the address and the headers of a request may say. */
export function parametersOf(operation: Operation): Json[] {
  return [
    ...pathParametersOf(operation),
    requestIdHeader,
    hostHeader(operation),
    traceHeader,
    ...(operation.method === 'POST' ? [keyHeader] : []),
    ...(operation.mayRespondAsync ? [preferHeader] : []),
  ];
}

function pathParametersOf({ path, body, example }: Operation): Json[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
  const properties = jsonSchemaOf(body)['properties'] as Record<string, Json>;
  return names.map(name => {
    const { description, ...schema } = properties[name] ?? {};
    return {
      name,
      in: 'path',
      required: true,
      description,
      schema,
      example: (example.body as Json)[name],
    };
  });
}

/** Without an example: the API page would fill it in and send it with every call that is tried there. */
const header = (name: string, description: string, schema: Json) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', ...schema },
});

export const requestIdHeader = header(
  'X-Request-Id',
  'Id under which the answer and the logs shall know the request. When absent, or of another form: one is made.',
  { pattern: '^[\\w.:-]{1,128}$' },
);

const traceHeader = header(
  'traceparent',
  'Trace of the caller (W3C Trace Context) that the work shall be part of. When absent: a trace of its own.',
  {},
);

const hostHeader = ({ hosts }: Operation) =>
  header(
    'x-choosen-host-id',
    hosts === 'one'
      ? 'Id of the host that the request is about; a token of several hosts needs it here or, where there is one, in the field choosenHostId. When absent: the host of the token.'
      : 'Id of the one host of the token that the request is about. When absent: all of them.',
    { format: 'uuid' },
  );

const keyHeader = header(
  'Idempotency-Key',
  'Any text of the caller’s own making: requests with the same key and body are done once, and get one answer, for 10 minutes. When absent: each request is done.',
  { pattern: '^[\\x21-\\x7e]{1,255}$' },
);

const preferHeader = header(
  'Prefer',
  '`respond-async`: 202 at once, and the reply at /jobs/{jobId}. When absent: the reply in the same call.',
  {},
);
