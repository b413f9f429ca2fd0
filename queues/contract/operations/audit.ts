import { operation } from '../operation.ts';
import { dateTime, field, freeObject, nullable, object, oneOf, optional, text, uuid } from '../shape.ts';
import { AVATAR_ID, HOST_ID, TOKEN_ID } from './example-ids.ts';
import { hostFields } from './fields.ts';
import { pageFields, pageOf } from './page.ts';
import { SVC } from './paths.ts';

const auditEntry = object({
  auditId: field('Id of the audit row.', text()),
  createdAt: field('Time of the change: an instant in UTC, ISO 8601.', dateTime()),
  actorKind: field(
    'Who made the change: a token of the API, a person of the host, a command of the operator, or a user of the database.',
    oneOf('token', 'person', 'command', 'database'),
  ),
  tokenId: field('Id of the token; null for any other actor.', nullable(uuid())),
  personId: field('Id of the person; null for any other actor.', nullable(uuid())),
  actorName: field(
    'Name of the token or person at that time, of the operating-system user of the command, or of the database user.',
    text({ min: 0 }),
  ),
  operation: field(
    'The operation by its `operationId` in this document, the command, as `token link`, for a user of the database `insert`, `update` or `delete`, or `tool.called`: a turn called a function of a REST tool that is no GET or HEAD. Its `after.last_try` has the function, status, duration, avatar, conversation and turn.',
    text(),
  ),
  table: field('Table of the changed row: `avatars`, `datasets`, `hosts`, …', text()),
  rowId: field('Id of the changed row.', text()),
  rowName: field('Present name of the changed row; empty if it has none, or is gone.', text({ min: 0 })),
  before: field(
    'The changed columns before the change; null for a new row. Texts are cut to 2,000 characters, secrets are `***`.',
    nullable(freeObject()),
  ),
  after: field('The same columns after the change; null for a deleted row.', nullable(freeObject())),
});

export const listAudit = operation({
  effect: 'reads',
  summary: 'List who changed what in the configuration of a host',
  description:
    'Newest first. Settings, contracts, people, tokens, avatars, evaluation cases, datasets and their links, chunks, documents, flows, agents, CRM mappings, ' +
    'sources of signed records, webhooks, MCP configurations and REST tools, whoever changed them. Rows are kept until `RETENTION_DAYS`.',
  tag: 'hosts',
  path: `${SVC}/auditListHelper`,
  body: object({
    ...hostFields,
    ...pageFields,
    since: field(
      'Only changes at or after this time; a date without a time means midnight in the time zone of the host. When absent: all.',
      optional(dateTime()),
    ),
    until: field('Only changes before this time, in the same form. When absent: all.', optional(dateTime())),
    operation: field('Only changes by this `operation`. When absent: by all.', optional(text())),
  }),
  data: pageOf(auditEntry),
  example: {
    body: {
      hostId: HOST_ID,
      limit: 20,
      since: '2026-01-01T03:00:00.000Z',
      operation: 'editAvatar',
    },
    data: {
      items: [
        {
          auditId: '4711',
          createdAt: '2026-03-02T14:05:31.220Z',
          actorKind: 'token' as const,
          tokenId: TOKEN_ID,
          personId: null,
          actorName: 'console',
          operation: 'editAvatar',
          table: 'avatars',
          rowId: AVATAR_ID,
          rowName: 'Lia',
          before: { name: 'Ana' },
          after: { name: 'Lia' },
        },
      ],
      nextCursor: null,
    },
  },
  scope: 'admin',
});
