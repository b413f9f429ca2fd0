import { fieldError } from '../../../platform/field-error.ts';
import { MAX_BODY_BYTES } from '../body-limit.ts';
import { operation } from '../operation.ts';
import {
  dateTime,
  eitherOneOrList,
  field,
  freeObject,
  list,
  nullable,
  object,
  oneOf,
  optional,
  uuid,
} from '../shape.ts';
import { HOST_ID, INTAKE_ID, LEAD_ID } from './example-ids.ts';
import { hostFields, keptFieldErrorShape } from './fields.ts';
import { pageFields, pageOf } from './page.ts';
import { SVC } from './paths.ts';
import { warnings } from './record-shape.ts';

const MAX_REPLAYED = 100;

const kind = oneOf('tickets', 'deals', 'objects');
const fate = oneOf('received', 'done', 'refused', 'failed');
const meaningOfFates =
  '`received`: waits for its mapping; `done`: stored; `refused`: does not meet the mapping; `failed`: an internal error, or three workers came to no end with it.';

const recordId = field('Id of the record as it was received, not of its lead or ticket.', uuid());
const recordKind = field('Kind of record: the path of the call, or the kind of its source.', kind);
const reasons = field(
  'Why it was refused or failed; otherwise empty.',
  list(keptFieldErrorShape, { max: MAX_BODY_BYTES }),
);
const status = field(
  'What it did to the lead or ticket; null if it is not done.',
  nullable(oneOf('created', 'updated', 'unchanged')),
);
const entity = {
  status,
  entityTable: field('What it was stored as; null if it is not done.', nullable(oneOf('leads', 'tickets'))),
  entityId: field('Id of the lead or ticket; null if it is not done.', nullable(uuid())),
};

const receivedRecord = object({
  recordId,
  kind: recordKind,
  fate: field(meaningOfFates, fate),
  ...entity,
  reasons,
  warnings,
  body: field('The record as it was received, with the names of the CRM.', freeObject()),
  arrivedAt: field('When it arrived: an instant in UTC, ISO 8601.', dateTime()),
  finishedAt: field('When it was last processed; null if it never was.', nullable(dateTime())),
});

export const listIntakeRecords = operation({
  effect: 'reads',
  summary: 'List the records that a CRM sent, and what became of them',
  description:
    'The last arrived first. A page also ends when it has 1 MiB, so it may have fewer items than `limit`. Records are kept until `RETENTION_DAYS`.',
  weight: { kind: 'list', connections: 1 },
  tag: 'intake',
  path: `${SVC}/intakeRecordsListHelper`,
  body: object({
    ...hostFields,
    ...pageFields,
    kind: field('Only records of this kind. When absent: of any.', optional(kind)),
    fate: field(
      `Only records with this fate, or one of these. ${meaningOfFates} When absent: with any.`,
      optional(eitherOneOrList(fate, { max: 4 })),
    ),
  }),
  data: pageOf(receivedRecord),
  example: {
    body: { hostId: HOST_ID, limit: 20, kind: 'deals' as const, fate: 'refused' as const },
    data: {
      items: [
        {
          recordId: INTAKE_ID,
          kind: 'deals' as const,
          fate: 'refused' as const,
          status: null,
          entityTable: null,
          entityId: null,
          reasons: [fieldError('dealname', 'required')],
          warnings: [],
          body: { external_id: 815, email: 'ana@example.com' },
          arrivedAt: '2026-03-02T14:05:31.220Z',
          finishedAt: '2026-03-02T14:05:31.246Z',
        },
      ],
      nextCursor: null,
    },
  },
  scope: 'intake',
});

export const replayRecords = operation({
  effect: 'adds',
  summary: 'Process received records again, with the current mapping',
  description:
    'Whatever their fate, in the order of their arrival, and as of it: a lead or ticket keeps what a later record said, so a repeated replay changes ' +
    'nothing more. Each record is committed for itself. One that is being processed is skipped: it has its fate in a moment. Repeat the request after a 408 or 503.',
  queue: 'intake',
  weight: { kind: 'replay', connections: 1 },
  tag: 'intake',
  path: `${SVC}/intakeReplayHelper`,
  body: object({
    ...hostFields,
    recordIds: field(
      'Ids of the records, as returned by intakeRecordsListHelper.',
      list(uuid(), { min: 1, max: MAX_REPLAYED }),
    ),
  }),
  data: object({
    items: field(
      'What became of each record, in the order of their arrival.',
      list(
        object({
          recordId,
          kind: recordKind,
          result: field(
            '`done`, `refused` or `failed`, as the fate of the record is now; `skipped`: it is being processed.',
            oneOf('done', 'refused', 'failed', 'skipped'),
          ),
          ...entity,
          reasons,
        }),
        { max: MAX_REPLAYED },
      ),
    ),
  }),
  example: {
    body: { hostId: HOST_ID, recordIds: [INTAKE_ID] },
    data: {
      items: [
        {
          recordId: INTAKE_ID,
          kind: 'deals' as const,
          result: 'done' as const,
          status: 'created' as const,
          entityTable: 'leads' as const,
          entityId: LEAD_ID,
          reasons: [],
        },
      ],
    },
  },
  refusals: ['record-not-found'],
  scope: 'intake',
});
