import type { Operation } from '../queues/operation.ts';
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

const header = (name: string, description: string, schema: Json, example: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', ...schema },
  example,
});

export const requestIdHeader = header(
  'X-Request-Id',
  'Id under which the answer and the logs shall know the request. When absent, or of another form: one is made.',
  { pattern: '^[\\w.:-]{1,128}$' },
  '3d1f5a52-6a0e-4a9e-8a64-3c7a7f0e1f10',
);

const traceHeader = header(
  'traceparent',
  'Trace of the caller (W3C Trace Context) that the work shall be part of. When absent: a trace of its own.',
  {},
  '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
);

const hostHeader = ({ hosts }: Operation) =>
  header(
    'x-choosen-host-id',
    hosts === 'one'
      ? 'Id of the host that the request is about; a token of several hosts needs it here or, where there is one, in the field choosenHostId. When absent: the host of the token.'
      : 'Id of the one host of the token that the request is about. When absent: all of them.',
    { format: 'uuid' },
    '70f74a41-c89d-4b5c-b77b-498fb3a4ec37',
  );

const keyHeader = header(
  'Idempotency-Key',
  'Any text of the caller’s own making: requests with the same key and body are done once, and get one answer, for 10 minutes. When absent: each request is done.',
  { pattern: '^[\\x21-\\x7e]{1,255}$' },
  '8e03978e-40d5-43dd-bc93-6894a57f9324',
);

const preferHeader = header(
  'Prefer',
  '`respond-async`: 202 at once, and the reply at /jobs/{jobId}. When absent: the reply in the same call.',
  {},
  'respond-async',
);
