import type { Operation } from '../../queues/contract/operation.ts';
import { type Json, jsonSchemaOf } from './json-schema-of.ts';

export function parametersOf(operation: Operation): Json[] {
  return [
    ...pathParametersOf(operation),
    requestIdHeader,
    hostHeader(operation),
    traceHeader,
    ...(operation.method === 'POST' ? [keyHeader] : []),
    ...(operation.mayRespondAsync ? [preferHeader, callbackHeader] : []),
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

/** Without an example, because Swagger UI would send it with every request. */
const header = (name: string, description: string, schema: Json) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', ...schema },
});

export const requestIdHeader = header(
  'X-Request-Id',
  'Id of the request in the response and in the logs. When absent or invalid: generated.',
  { pattern: '^[\\w.:-]{1,128}$' },
);

export const traceHeader = header(
  'traceparent',
  'Trace of the caller (W3C Trace Context), continued by the service. When absent: a new trace.',
  {},
);

const hostHeader = ({ hosts }: Operation) =>
  header(
    'x-choosen-host-id',
    hosts === 'one'
      ? 'Id of the host for this request. Required for a token of several hosts, here or in the field choosenHostId. When absent: the host of the token.'
      : 'Id of the host for this request. When absent: all hosts of the token.',
    { format: 'uuid' },
  );

export const keyHeader = header(
  'Idempotency-Key',
  'Unique text chosen by the caller: for 10 minutes, requests with the same key and body are processed once and get the same response. When absent: every request is processed.',
  { pattern: '^[\\x21-\\x7e]{1,255}$' },
);

const preferHeader = header(
  'Prefer',
  '`respond-async`: respond with 202 immediately and provide the reply at /jobs/{jobId}. When absent: reply in the same call.',
  {},
);

const callbackHeader = header(
  'X-Callback-Url',
  'With `Prefer: respond-async`: where the reply is sent as an event `job.completed`, signed with the secret of the enabled webhook of the host that has the same origin. When absent: nowhere.',
  { format: 'uri' },
);

/** Adds the required scope to the description. If the handler checks the scope, the description says it already. */
export function withRights({ description = '', scope, orScope, isForOperators }: Operation): string {
  if (scope === undefined) return description;
  const either = orScope === undefined ? '' : ` or \`${orScope}\``;
  const rights = `Scope: \`${scope}\`${either}${isForOperators ? ', of a token of operators' : ''}.`;
  return description === '' ? rights : `${description}\n\n${rights}`;
}
