import type { Json } from './json-schema-of.ts';

const text = { type: 'string' };

/** What every answer carries; the last ones are the same for all, and tell browsers what they may do. */
const onEvery = {
  'X-Request-Id': [
    'Id of the request: the one that was sent, if it is sane, or one made for it. The logs have it too.',
    text,
  ],
  'Cache-Control': ['`no-store`: an answer is somebody’s, and nobody else’s to keep.', text],
  Vary: ['`Origin`, where the operator has named origins (CORS_ORIGINS).', text],
  'Access-Control-Allow-Origin': ['The origin of the page that asks, where the operator has named it.', text],
  'Access-Control-Expose-Headers': ['Headers that such a page may read.', text],
  'Content-Security-Policy': ['What a browser may load for this answer.', text],
  'Cross-Origin-Opener-Policy': ['Which pages may reach a window that shows this answer.', text],
  'Cross-Origin-Resource-Policy': ['Which pages may embed this answer.', text],
  'Origin-Agent-Cluster': ['Keeps pages of this origin apart from others of its site.', text],
  'Referrer-Policy': ['What a browser tells others of the address of this answer.', text],
  'Strict-Transport-Security': [
    'For how long a browser uses HTTPS alone; has no meaning over plain HTTP.',
    text,
  ],
  'X-Content-Type-Options': ['`nosniff`: the content is of the type that it says.', text],
  'X-DNS-Prefetch-Control': ['Whether a browser may look up addresses ahead of their use.', text],
  'X-Download-Options': ['Keeps old browsers from opening a download as a page of this service.', text],
  'X-Frame-Options': ['Which pages may show this answer in a frame.', text],
  'X-Permitted-Cross-Domain-Policies': ['Whether plug-ins of other origins may read this answer.', text],
  'X-XSS-Protection': ['Switches off a filter of old browsers that did more harm than good.', text],
} as const;

const onSome = {
  Allow: ['The methods that this address takes.', text],
  Location: ['Where the reply will be: /jobs/{jobId}.', text],
  'Preference-Applied': ['`respond-async`: the request was accepted, and is answered later.', text],
  'Retry-After': ['Seconds after which trying again makes sense.', { type: 'integer', minimum: 1 }],
  'WWW-Authenticate': ['How to authenticate: `Bearer`.', text],
} as const;

/** Beyond those of every answer. */
const byStatus: Readonly<Record<number, readonly (keyof typeof onSome)[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** `Location` comes with an answer that is still to be made. */
export const headersOfAccepted = [...Object.keys(onEvery), 'Location', 'Preference-Applied'];

export function headersOf(status: number): string[] {
  return [...Object.keys(onEvery), ...(byStatus[status] ?? [])];
}

export function headerRefs(names: readonly string[]): Json {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]));
}

export function describeHeaders(): Json {
  const all = Object.entries<readonly [string, Json]>({ ...onEvery, ...onSome });
  return Object.fromEntries(all.map(([name, [description, schema]]) => [name, { description, schema }]));
}
