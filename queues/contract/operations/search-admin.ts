import { operation } from '../operation.ts';
import {
  answerList,
  dateTime,
  eitherOneOrList,
  field,
  flag,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  uuid,
} from '../shape.ts';
import { CONVERSATION_ID, JOB_ID } from './example-ids.ts';
import { originId, originTable } from './fields.ts';
import { SEARCH } from './paths.ts';
import { healthScore } from './search-health.ts';

const MOST_EVENTS = 1_000;

const event = {
  origin_table: originTable,
  origin_id: originId,
  operation: field(
    'What was done to the record; the index looks at the record itself all the same.',
    oneOf('INSERT', 'UPDATE', 'DELETE'),
  ),
};
const common = { queue: 'search', tag: 'search index', answer: 'bare', refusals: [], hosts: 'all' } as const;

export const queueSearchEvents = operation({
  ...common,
  summary: 'Tell that records have changed',
  description: `One event, or up to ${MOST_EVENTS}. The index takes over what the records are at that moment, so that order and repetition do not matter.`,
  method: 'POST',
  path: `${SEARCH}/events`,
  body: eitherOneOrList(object(event), { max: MOST_EVENTS }),
  data: object({
    accepted: field('Always true: the events are stored, and will be worked on.', flag()),
    queued: field('How many events were taken.', integer()),
  }),
  example: {
    body: { origin_table: 'conversations', origin_id: CONVERSATION_ID, operation: 'UPDATE' },
    data: { accepted: true, queued: 1 },
  },
  status: 202,
  scope: 'search:write',
});

const counts = number({ min: 0, max: Number.MAX_VALUE });
const count = (meaning: string) => field(meaning, counts);
const instant = (meaning: string) =>
  field(`${meaning}: an instant in UTC, ISO 8601; null where it never did.`, nullable(dateTime()));
const tableStats = (records: string) =>
  field(
    `How far the ${records} are in the index.`,
    object({
      source: count('Records that there are.'),
      indexed: count('Rows that the index has for them.'),
      missing: count('Records without a row in the index.'),
      orphans: count('Rows of the index whose record is gone.'),
      stale: count('Rows that the last reconciliation found to be out of date.'),
      coverage: count('Part of the records that the index has: 0 to 1.'),
    }),
  );
const repair = object({
  origin_table: originTable,
  origin_id: originId,
  what: field(
    'What was wrong: the row was `missing`, `stale` or an `orphan`; `kept` is an orphan that stays until it is confirmed.',
    oneOf('missing', 'stale', 'orphan', 'kept'),
  ),
  at: field('When it was found and mended: an instant in UTC, ISO 8601.', dateTime()),
});
const exampleStats = { source: 120, indexed: 120, missing: 0, orphans: 0, stale: 0, coverage: 1 };

export const searchStats = operation({
  ...common,
  summary: 'How complete the index is, and how its pipeline fares',
  description:
    'The tables and repairs are those of the token’s hosts; `stale` is what the last reconciliation found. The pipeline is one for all hosts.',
  method: 'GET',
  path: `${SEARCH}/admin/stats`,
  body: object({}),
  data: object({
    tables: field(
      'How complete the index is, by kind of record, on the hosts of the token.',
      object({
        conversations: tableStats('conversations'),
        leads: tableStats('leads'),
        tickets: tableStats('tickets'),
      }),
    ),
    pipeline: field(
      'The way of changes into the index, of all hosts.',
      object({
        pending: count('Events that wait to be worked on.'),
        processed: count('Events that were worked on.'),
        failed: count(
          'Tries of events that failed. After ten an event is left to the comparison of index and records.',
        ),
        last_flush_at: instant('When the last batch was written to the index'),
        lag_ms: count('Age of the oldest event that waits, in milliseconds; 0 where none does.'),
      }),
    ),
    listener: field(
      'The connection that hears of changes in the database.',
      object({
        connected: field('Whether it is connected now.', flag()),
        reconnects: count('How often it had to connect again.'),
        last_event_at: instant('When it last heard of a change'),
      }),
    ),
    reconcile: field(
      'The comparison of index and records, which runs every few minutes.',
      object({
        last_run_at: instant('When it last ran'),
        duration_ms: field('How long that took, in milliseconds; null before the first.', nullable(counts)),
        repaired: count('Rows that it wrote because they were missing or stale.'),
        removed: count('Rows that it removed because their record is gone.'),
        next_run_at: instant('When it runs next'),
        health_score: healthScore,
        repairs: field('What it mended last, newest first.', answerList(repair)),
      }),
    ),
  }),
  example: {
    body: {},
    data: {
      tables: { conversations: exampleStats, leads: exampleStats, tickets: exampleStats },
      pipeline: {
        pending: 0,
        processed: 360,
        failed: 0,
        last_flush_at: '2026-03-02T12:00:00.000Z',
        lag_ms: 0,
      },
      listener: { connected: true, reconnects: 0, last_event_at: '2026-03-02T12:00:00.000Z' },
      reconcile: {
        last_run_at: '2026-03-02T11:58:00.000Z',
        duration_ms: 84,
        repaired: 1,
        removed: 0,
        next_run_at: '2026-03-02T12:03:00.000Z',
        health_score: 100,
        repairs: [
          {
            origin_table: 'conversations',
            origin_id: CONVERSATION_ID,
            what: 'missing',
            at: '2026-03-02T11:58:00.000Z',
          },
        ],
      },
    },
  },
  status: 200,
  scope: 'admin',
});

export const reindex = operation({
  ...common,
  summary: 'Index records anew',
  description:
    '`missing` indexes what is not there, `full` everything; what is there stays findable meanwhile. More than 1,000 orphans that are more than 5 % stay unless `confirm_orphans`.',
  method: 'POST',
  path: `${SEARCH}/admin/reindex`,
  body: object({
    tables: field(
      'The kinds of record to index. When absent: all three.',
      optional(list(originTable, { min: 1, max: 3 })),
    ),
    mode: field(
      '`missing` indexes what is not there, `full` everything anew. When absent: `missing`.',
      optional(oneOf('missing', 'full')),
    ),
    since: field('Only records changed since then. When absent: all.', optional(dateTime())),
    batch_size: field(
      'Records to read at a time. When absent: as the service is set.',
      optional(integer({ min: 1, max: 1_000 })),
    ),
    confirm_orphans: field(
      'True removes orphans even where they are suspiciously many. When absent: false.',
      optional(flag()),
    ),
    choosenHostId: field(
      'Id of the one host to index. When absent: all hosts of the token.',
      optional(uuid()),
    ),
  }),
  data: object({
    job_id: field('Id of the reindexing; GET /jobs/{jobId} follows it.', text()),
    status: field('Always `enqueued`: it begins as soon as a worker is free.', oneOf('enqueued')),
    tables: field('The kinds of record that are indexed.', list(originTable, { max: 3 })),
    estimated_rows: field('About how many records there are to index.', integer()),
  }),
  example: {
    body: { tables: ['leads'], mode: 'full' },
    data: { job_id: JOB_ID, status: 'enqueued', tables: ['leads'], estimated_rows: 120 },
  },
  status: 202,
  refusals: ['reindex-running'],
  scope: 'admin',
});
