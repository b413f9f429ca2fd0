import { operation } from '../operation.ts';
import {
  dateTime,
  field,
  flag,
  nullable,
  object,
  oneOf,
  optional,
  optionalFields,
  patternText,
  responseList,
  text,
} from '../shape.ts';
import { HOST_ID } from './example-ids.ts';
import { hostFields, hostOfObject } from './fields.ts';
import { SVC } from './paths.ts';

const ofSources = { tag: 'mappings', scope: 'admin', isForOperators: true } as const;

/** Where a source sends its records. */
export const SIGNED_PATH = '/api/integrations/crm/internal/in/:address';
export const STANDARD_PREFIX = 'whsec_';
/** The placeholders of `signed`. */
export const BODY = '{body}';
export const TIMESTAMP = '{timestamp}';

const MAX_URL_LENGTH = 2_000;
const MAX_SECRET_LENGTH = 500;

const headerName = patternText(/^[A-Za-z0-9][\w-]{0,99}$/, 'the name of a header, such as `X-Signature`');
const name = field(
  'Name of the source, unique in the host.',
  patternText(/^[\w .-]{1,100}$/, '1 to 100 letters, digits, blanks, dots, `_` and `-`'),
);
const settings = {
  kind: field('Kind of its records.', oneOf('tickets', 'deals', 'objects')),
  ack: field(
    '`early`: it is answered once a record is stored; `late`: once it is mapped.',
    oneOf('early', 'late'),
  ),
  enabled: field('False: its records are refused.', flag()),
};
const signing = {
  baseUrl: field(
    'Address of Parley as the source calls it, such as `https://crm.example.com`; needed for `hubspot`, which signs it.',
    text({ max: MAX_URL_LENGTH }),
  ),
  header: field(
    'Header with the signature; this and the following are for `hmac` only, which needs it.',
    headerName,
  ),
  algorithm: field('Hash of the signature; a new source has sha256.', oneOf('sha256', 'sha1')),
  encoding: field('How the signature is written; a new source has hex.', oneOf('hex', 'base64')),
  prefix: field('Text before the signature, such as `sha256=`.', text({ max: 50 })),
  timestampHeader: field(
    'Header with the time of signing. Without one, a recorded request is taken again at any time; a record has its id, so it is not doubled.',
    headerName,
  ),
  signed: field(
    `What is signed, with \`${BODY}\` and, if a header has the time, \`${TIMESTAMP}\`; a new source has \`${BODY}\` or \`${TIMESTAMP}.${BODY}\`.`,
    text(),
  ),
};
const scheme = field(
  'How it signs: Standard Webhooks, HubSpot v3, or an HMAC in a header of its own. It cannot be changed.',
  oneOf('standard', 'hubspot', 'hmac'),
);

const source = object({
  hostId: hostOfObject,
  name,
  scheme,
  ...settings,
  ...optionalFields(signing, 'as the scheme says'),
  url: field(
    'Where it sends its records; only the path, if it has no `baseUrl`.',
    text({ max: MAX_URL_LENGTH * 2 }),
  ),
  secret: field(
    'The secret by which it signs: in full once, where Parley made it; otherwise `***`.',
    text({ max: MAX_SECRET_LENGTH }),
  ),
  secretSetAt: field('When the secret was set: an instant in UTC, ISO 8601.', dateTime()),
  earlierValidUntil: field(
    'Until when the secret before it is valid, too; null if none is.',
    nullable(dateTime()),
  ),
  deleted: field('True when this request deleted it; absent otherwise.', optional(flag())),
});

const example = {
  hostId: HOST_ID,
  name: 'loja',
  scheme: 'standard' as const,
  kind: 'deals' as const,
  ack: 'late' as const,
  enabled: true,
  url: '/api/integrations/crm/internal/in/1f6c2e0a9d5b4c7f8e3a2b1c0d9e8f7a6b5c4d3e2f1a0b9c',
  secret: '***',
  secretSetAt: '2026-03-02T14:05:09.120Z',
  earlierValidUntil: null,
};

export const saveSource = operation({
  ...ofSources,
  effect: 'changes',
  summary: 'Create, change or delete a source of signed records',
  description:
    'Only for tokens of operators. A source sends the records of a CRM without a token, and signs them. One of this name is changed: omitted fields ' +
    'stay unchanged. The secret is stored encrypted and shown once; a request that is repeated with its Idempotency-Key more than a minute later ' +
    'gets `***`. With `rotateSecret` it gets another one, and both are valid for 24 hours.',
  path: `${SVC}/saveSourceHelper`,
  body: object({
    ...hostFields,
    name,
    scheme: field(
      'How it signs: Standard Webhooks, HubSpot v3, or an HMAC in a header of its own; required to create a source, and cannot be changed.',
      optional(scheme),
    ),
    kind: field('Kind of its records; required to create a source.', optional(settings.kind)),
    ...optionalFields({ ack: settings.ack }, '`late` for a new one, otherwise unchanged'),
    ...optionalFields({ enabled: settings.enabled }, 'true for a new one, otherwise unchanged'),
    ...optionalFields(signing),
    secret: field(
      'Its secret, for a new source or with `rotateSecret`: `hubspot` needs one from its app. When absent: a new one is made.',
      optional(text({ max: MAX_SECRET_LENGTH })),
    ),
    rotateSecret: field('Whether it gets another secret. When absent: false.', optional(flag())),
    deleted: field(
      'True deletes the source: its records are refused at once. When absent: false.',
      optional(flag()),
    ),
  }),
  data: source,
  example: {
    body: { hostId: HOST_ID, name: example.name, scheme: example.scheme, kind: example.kind, ack: 'late' },
    data: { ...example, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' },
  },
  refusals: ['operators-only', 'source-not-found'],
});

export const listSources = operation({
  ...ofSources,
  effect: 'reads',
  summary: 'List the sources of signed records of a host',
  description: 'Only for tokens of operators. Sorted by name; the secrets are shown as `***`.',
  path: `${SVC}/sourcesListHelper`,
  body: object({
    ...hostFields,
    name: field('Only the one of this name. When absent: all.', optional(name)),
  }),
  data: responseList(source),
  example: { body: { hostId: HOST_ID }, data: [example] },
  refusals: ['operators-only'],
});
