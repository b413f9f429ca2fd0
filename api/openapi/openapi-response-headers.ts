import type { Json } from './json-schema-of.ts';

const text = { type: 'string' };

/** Headers of every response; the last ones are constant security headers for browsers. */
const onEvery = {
  'X-Request-Id': [
    'Id of the request, also found in the logs: the one that was sent, if valid, or a generated one.',
    text,
  ],
  'Cache-Control': ['`no-store`: responses hold personal data and must not be cached.', text],
  Vary: ['`Origin`, if CORS_ORIGINS is set.', text],
  'Access-Control-Allow-Origin': ['Origin of the calling page, if CORS_ORIGINS allows it.', text],
  'Access-Control-Expose-Headers': ['Headers that scripts of that page may read.', text],
  'Content-Security-Policy': ['Resources that a browser may load for this response.', text],
  'Cross-Origin-Opener-Policy': ['Which pages may access a window that shows this response.', text],
  'Cross-Origin-Resource-Policy': ['Which pages may embed this response.', text],
  'Origin-Agent-Cluster': ['Isolates pages of this origin from others of its site.', text],
  'Referrer-Policy': ['Which referrer a browser sends from this response.', text],
  'Strict-Transport-Security': ['How long a browser must use HTTPS only; ignored over plain HTTP.', text],
  'X-Content-Type-Options': ['`nosniff`: browsers must not guess another content type.', text],
  'X-DNS-Prefetch-Control': ['Whether a browser may prefetch DNS names.', text],
  'X-Download-Options': [
    'Prevents old browsers from opening downloads in the context of this service.',
    text,
  ],
  'X-Frame-Options': ['Which pages may show this response in a frame.', text],
  'X-Permitted-Cross-Domain-Policies': ['Whether plug-ins from other origins may read this response.', text],
  'X-XSS-Protection': ['Disables the unsafe XSS filter of old browsers.', text],
} as const;

const onSome = {
  Allow: ['Methods that the path supports.', text],
  Location: ['URL of the reply: /jobs/{jobId}.', text],
  'Preference-Applied': ['`respond-async`: the request was accepted and will be processed later.', text],
  'Retry-After': ['Seconds to wait before a retry.', { type: 'integer', minimum: 1 }],
  'WWW-Authenticate': ['Authentication scheme: `Bearer`, or `Signature` for signed records.', text],
} as const;

/** In addition to the headers of every response. */
const byStatus: Readonly<Record<number, readonly (keyof typeof onSome)[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** Headers of a 202 response. */
export const headersOfAccepted = [...Object.keys(onEvery), 'Location', 'Preference-Applied'];

export function headersOf(status: number): string[] {
  return [...Object.keys(onEvery), ...(byStatus[status] ?? [])];
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
