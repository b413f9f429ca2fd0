import { operation, type TokenScope, tokenScopes } from '../operation.ts';
import {
  dateTime,
  field,
  flag,
  idAlsoNamed,
  list,
  nullable,
  object,
  oneOf,
  optional,
  patternText,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import { HOST_ID, TOKEN_ID } from './example-ids.ts';
import { createdAt } from './fields.ts';
import { SVC } from './paths.ts';

const ofTokens = {
  tag: 'tokens',
  scope: 'admin',
  isForOperators: true,
  hosts: 'all',
} as const;

const MAX_HOSTS = 1_000;
/** Hours or days, or without an end. */
export const TOKEN_PERIOD = /^([1-9]\d{0,4}[hd]|never)$/;
/** A token that names no scopes has these. */
export const ordinaryScopes: readonly TokenScope[] = tokenScopes.filter(
  scope => scope !== 'search:write' && scope !== 'admin',
);

const tokenId = field('Id of the token, by which it is revoked and named in the audit.', uuid());
const name = field('Display name, in lists and in the audit.', text());
const scopes = list(oneOf(...tokenScopes), { min: 1, max: tokenScopes.length });

const token = object({
  tokenId,
  name,
  kind: field(
    '`host`: for one host; `domain`: for several; `operator`: for all, also later ones.',
    oneOf('host', 'domain', 'operator'),
  ),
  hosts: field('Slugs of its hosts; empty for `operator`.', list(text(), { max: MAX_HOSTS })),
  scopes: field('What it may call.', list(oneOf(...tokenScopes), { max: tokenScopes.length })),
  state: field('Whether it is accepted.', oneOf('valid', 'expired', 'revoked')),
  expiresAt: field('When it expires: an instant in UTC, ISO 8601; null for never.', nullable(dateTime())),
  lastUsedAt: field('When it was used last, to the minute; null for never.', nullable(dateTime())),
  createdAt,
});

const example = {
  tokenId: TOKEN_ID,
  name: 'crm',
  kind: 'host' as const,
  hosts: ['demo'],
  scopes: ['intake' as const],
  state: 'valid' as const,
  expiresAt: '2026-04-01T14:05:09.120Z',
  lastUsedAt: null,
  createdAt: '2026-03-02T14:05:09.120Z',
};

export const issueToken = operation({
  ...ofTokens,
  effect: 'adds',
  summary: 'Make a token',
  description:
    'Only for tokens of operators. Its text is shown once, and only its hash is stored; a request that is repeated with its Idempotency-Key ' +
    'more than a minute later gets `***`. Either `hostIds` or `operator` is required.',
  path: `${SVC}/issueTokenHelper`,
  body: object({
    hostIds: field(
      'Ids of its hosts. When absent: `operator` is required.',
      optional(list(uuid(), { min: 1, max: MAX_HOSTS })),
    ),
    operator: field('True: for all hosts, also later ones. When absent: false.', optional(flag())),
    scopes: field(`What it may call. When absent: ${ordinaryScopes.join(', ')}.`, optional(scopes)),
    expires: field(
      'How long it is valid: hours or days, such as `12h` or `30d`, or `never`. When absent: a year.',
      optional(patternText(TOKEN_PERIOD, 'hours or days, such as `12h` or `30d`, or `never`')),
    ),
    name: field('Display name, in lists and in the audit. When absent: its hosts.', optional(name)),
  }),
  data: object({
    tokenId,
    token: field('The text, `svc_…`, sent as `Authorization: Bearer …`.', text()),
    expiresAt: field('When it expires: an instant in UTC, ISO 8601; null for never.', nullable(dateTime())),
  }),
  example: {
    body: { hostIds: [HOST_ID], operator: false, scopes: ['intake' as const], expires: '30d', name: 'crm' },
    data: {
      tokenId: TOKEN_ID,
      token: 'svc_0Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2H1g0F9e8D7c6B5a4321',
      expiresAt: example.expiresAt,
    },
  },
  refusals: ['operators-only', 'host-forbidden'],
});

export const revokeToken = operation({
  ...ofTokens,
  effect: 'changes',
  summary: 'Revoke a token',
  description: 'Only for tokens of operators. It is refused from the next request on; that cannot be undone.',
  path: `${SVC}/revokeTokenHelper`,
  body: object({ tokenId: field('Id of the token, as returned by tokensListHelper.', idAlsoNamed('id')) }),
  data: object({ tokenId }),
  example: { body: { tokenId: TOKEN_ID }, data: { tokenId: TOKEN_ID } },
  refusals: ['operators-only', 'token-not-found'],
});

export const listTokens = operation({
  ...ofTokens,
  effect: 'reads',
  summary: 'List all tokens',
  description:
    'Only for tokens of operators. Without their texts, in the order of their creation, also those that are not valid.',
  path: `${SVC}/tokensListHelper`,
  body: object({}),
  data: responseList(token),
  example: { body: {}, data: [example] },
  refusals: ['operators-only'],
});
