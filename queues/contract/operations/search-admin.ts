import { operation } from '../operation.ts';
import {
  dateTime,
  eitherOneOrList,
  field,
  flag,
  integer,
  list,
  object,
  oneOf,
  optional,
  text,
  uuid,
} from '../shape.ts';
import { CONVERSATION_ID, JOB_ID } from './example-ids.ts';
import { originId, originTable } from './fields.ts';
import { SEARCH } from './paths.ts';
import { indexOperation } from './search-stats.ts';

const MAX_EVENTS = 1_000;

const event = {
  origin_table: originTable,
  origin_id: originId,
  operation: field(
    'Kind of change; the index always reads the current record.',
    oneOf('INSERT', 'UPDATE', 'DELETE'),
  ),
};

export const queueSearchEvents = operation({
  ...indexOperation,
  effect: 'adds',
  summary: 'Notify the index of changed records',
  description: `One event, or a list of up to ${MAX_EVENTS}. The index reads the current state of the records, so the order and repetition of events do not matter.`,
  path: `${SEARCH}/events`,
  body: eitherOneOrList(object(event), { max: MAX_EVENTS }),
  data: object({
    accepted: field('Always true: the events will be processed.', flag()),
    queued: field('Number of events received; events of unknown records change nothing.', integer()),
  }),
  example: {
    body: { origin_table: 'conversations', origin_id: CONVERSATION_ID, operation: 'UPDATE' },
    data: { accepted: true, queued: 1 },
  },
  status: 202,
  scope: 'search:write',
});

export const reindex = operation({
  ...indexOperation,
  effect: 'adds',
  weight: { kind: 'search', connections: 1 },
  summary: 'Reindex records',
  description:
    '`missing` indexes records that are not in the index, `full` all records; indexed records stay searchable meanwhile. If there are more than 1,000 orphans and they exceed 5 %, they are removed only with `confirm_orphans`.',
  path: `${SEARCH}/admin/reindex`,
  body: object({
    tables: field(
      'Kinds of record to index. When absent: all three.',
      optional(list(originTable, { min: 1, max: 3 })),
    ),
    mode: field(
      '`missing` indexes records that are not in the index, `full` all records. When absent: `missing`.',
      optional(oneOf('missing', 'full')),
    ),
    since: field(
      'Only records changed since this time; in UTC if it has no offset. When absent: all.',
      optional(dateTime()),
    ),
    batch_size: field(
      'Records per batch. When absent: the default of the service.',
      optional(integer({ min: 1, max: 1_000 })),
    ),
    confirm_orphans: field(
      'True removes orphans even if there are suspiciously many. When absent: false.',
      optional(flag()),
    ),
    choosenHostId: field('Id of the host to index. When absent: all hosts of the token.', optional(uuid())),
  }),
  data: object({
    job_id: field('Id of the reindexing; GET /jobs/{jobId} returns its status.', text()),
    status: field('Always `enqueued`: the leading indexer runs it.', oneOf('enqueued')),
    tables: field('Kinds of record to be indexed.', list(originTable, { max: 3 })),
    estimated_rows: field('Estimated number of records to index.', integer()),
  }),
  example: {
    body: {
      tables: ['leads'],
      mode: 'full',
      since: '2026-03-01T03:00:00.000Z',
      batch_size: 500,
      confirm_orphans: false,
    },
    data: { job_id: JOB_ID, status: 'enqueued', tables: ['leads'], estimated_rows: 120 },
  },
  status: 202,
  refusals: ['reindex-running'],
  scope: 'admin',
});
