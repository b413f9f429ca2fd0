import { IGNORED_FIELDS_HEADER } from '../guards/validate.ts';
import type { Json } from './json-schema-of.ts';

const text = { type: 'string' };

const REFERENCE = 'https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/';

/** Headers for browsers, which Helmet sets on every response. */
const ofHelmet = `
  Content-Security-Policy Cross-Origin-Opener-Policy Cross-Origin-Resource-Policy Origin-Agent-Cluster Referrer-Policy
  Strict-Transport-Security X-Content-Type-Options X-DNS-Prefetch-Control X-Download-Options X-Frame-Options
  X-Permitted-Cross-Domain-Policies X-XSS-Protection`
  .trim()
  .split(/\s+/);

/** Headers of every response. */
const onEvery = {
  'X-Request-Id': [
    'Id of the request, also found in the logs: the one that was sent, if valid, or a generated one.',
    text,
  ],
  'Cache-Control': ['`no-store`: responses hold personal data and must not be cached.', text],
  Vary: ['`Origin`, if CORS_ORIGINS is set.', text],
  'Access-Control-Allow-Origin': ['Origin of the calling page, if CORS_ORIGINS allows it.', text],
  'Access-Control-Expose-Headers': ['Headers that scripts of that page may read.', text],
  ...Object.fromEntries(ofHelmet.map(name => [name, [`For browsers: ${REFERENCE}${name}`, text] as const])),
} as const;

const onSome = {
  Allow: ['Methods that the path supports.', text],
  Location: ['URL of the reply: /jobs/{jobId}.', text],
  [IGNORED_FIELDS_HEADER]: [
    'Fields of the request that the operation does not know, separated by commas; at most 10.',
    text,
  ],
  'Preference-Applied': ['`respond-async`: the request was accepted and will be processed later.', text],
  'Retry-After': ['Seconds to wait before a retry.', { type: 'integer', minimum: 1 }],
  'WWW-Authenticate': ['Authentication scheme: `Bearer`, or `Signature` for signed records.', text],
} as const;

/** Further headers of a response with this status. */
const byStatus: Readonly<Record<number, readonly (keyof typeof onSome)[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** Headers of a 202 response. */
export const headersOfAccepted = [...headersOf(202), 'Location', 'Preference-Applied'];

export function headersOf(status: number): string[] {
  return [...Object.keys(onEvery), IGNORED_FIELDS_HEADER, ...(byStatus[status] ?? [])];
}

export function listHeaderRefs(names: readonly string[]): Json {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]));
}

export function describeHeaders(): Json {
  return { ...describeEach(onEvery, { 'x-on-every-response': true }), ...describeEach(onSome) };
}

function describeEach(headers: Readonly<Record<string, readonly [string, Json]>>, more: Json = {}): Json {
  const described = Object.entries(headers).map(([name, [description, schema]]) => [
    name,
    { description, schema, ...more },
  ]);
  return Object.fromEntries(described);
}
