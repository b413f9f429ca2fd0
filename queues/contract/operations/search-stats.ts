import { operation } from '../operation.ts';
import {
  dateTime,
  field,
  flag,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  optional,
  responseList,
} from '../shape.ts';
import { CONVERSATION_ID } from './example-ids.ts';
import { originId, originTable } from './fields.ts';
import { SEARCH } from './paths.ts';

const HEALTH_TIMEOUT_MS = 2_000;

const counts = number({ min: 0, max: Number.MAX_VALUE });
const state = oneOf('ok', 'degraded', 'down');
const healthScore = field(
  'Coverage and freshness of the index, 0 to 100; null before the first reconciliation.',
  nullable(counts),
);

/** `checks` holds only `queue` if no worker replies. */
const health = object({
  status: field('`ok`, `degraded` (works late or partially), or `down`.', state),
  checks: field('Status of each component, by name.', mapOf(state, { max: 10 })),
  freshness_ms: field(
    'Age of the oldest change that is not in the index yet, in milliseconds. Absent if unknown.',
    optional(counts),
  ),
  health_score: optional(healthScore),
});
const exampleHealth = {
  status: 'ok' as const,
  checks: { database: 'ok' as const, listener: 'ok' as const, pipeline: 'ok' as const },
  freshness_ms: 0,
  health_score: 100,
};
const healthOf = {
  queue: 'search',
  tag: 'search index',
  hosts: 'all',
  responseForm: 'health',
  timeLimitMs: HEALTH_TIMEOUT_MS,
  method: 'GET',
} as const;

export const searchEventsHealth = operation({
  ...healthOf,
  effect: 'reads',
  summary: 'Check the processing of search events',
  description: 'Responds with 503 if it is down. Degraded if the oldest event has waited for more than 30 s.',
  path: `${SEARCH}/events/health`,
  body: object({}),
  data: health,
  example: { body: {}, data: exampleHealth },
  scope: 'search:write',
  orScope: 'admin',
});

export const searchHealth = operation({
  ...healthOf,
  effect: 'reads',
  summary: 'Check the completeness and freshness of the index',
  description:
    'Responds with 503 if it is down. The score is 100 × coverage × freshness, null before the first reconciliation.',
  path: `${SEARCH}/admin/health`,
  body: object({}),
  data: health,
  example: { body: {}, data: exampleHealth },
  scope: 'admin',
});

export const indexOperation = {
  queue: 'search',
  tag: 'search index',
  responseForm: 'bare',
  hosts: 'all',
} as const;

const count = (meaning: string) => field(meaning, counts);
const instant = (meaning: string) =>
  field(`${meaning}: an instant in UTC, ISO 8601; null if never.`, nullable(dateTime()));
const tableStats = (records: string) =>
  field(
    `Index coverage of the ${records}.`,
    object({
      source: count('Number of records.'),
      indexed: count('Number of their rows in the index.'),
      missing: count('Records without a row in the index.'),
      orphans: count('Rows in the index whose record no longer exists.'),
      stale: count('Rows that were out of date at the last reconciliation.'),
      coverage: count('Fraction of the records that are in the index: 0 to 1.'),
    }),
  );
const repair = object({
  origin_table: originTable,
  origin_id: originId,
  what: field(
    'Problem: the row was `missing`, `stale` or an `orphan`; `kept` is an orphan that stays until its removal is confirmed.',
    oneOf('missing', 'stale', 'orphan', 'kept'),
  ),
  at: field('Time of the repair: an instant in UTC, ISO 8601.', dateTime()),
});
const exampleStats = { source: 120, indexed: 120, missing: 0, orphans: 0, stale: 0, coverage: 1 };

export const searchStats = operation({
  ...indexOperation,
  effect: 'reads',
  weight: { kind: 'search', connections: 1 },
  summary: 'Get statistics of the search index and its pipeline',
  description:
    '`tables` and `repairs` cover the hosts of the token; `stale` is from the last reconciliation. `pipeline` covers all hosts.',
  method: 'GET',
  path: `${SEARCH}/admin/stats`,
  body: object({}),
  data: object({
    tables: field(
      'Index coverage by kind of record, for the hosts of the token.',
      object({
        conversations: tableStats('conversations'),
        leads: tableStats('leads'),
        tickets: tableStats('tickets'),
      }),
    ),
    pipeline: field(
      'Processing of change events of all hosts.',
      object({
        pending: count('Events that wait to be processed.'),
        processed: count('Events that were processed.'),
        failed: count('Events that failed and will be retried.'),
        last_flush_at: instant('Time of the last write to the index'),
        lag_ms: count('Age of the oldest pending event, in milliseconds; 0 if there is none.'),
      }),
    ),
    listener: field(
      'Connection that listens for changes in the database.',
      object({
        connected: field('Whether the connection is open.', flag()),
        reconnects: count('Number of reconnects.'),
        last_event_at: instant('Time of the last notification'),
      }),
    ),
    reconcile: field(
      'Periodic comparison of index and records.',
      object({
        last_run_at: instant('Time of the last run'),
        duration_ms: field(
          'Duration of the last run, in milliseconds; null before the first.',
          nullable(counts),
        ),
        repaired: count('Rows written because they were missing or stale.'),
        removed: count('Rows removed because their record no longer exists.'),
        next_run_at: instant('Time of the next run'),
        health_score: healthScore,
        repairs: field('Latest repairs, newest first.', responseList(repair)),
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
  scope: 'admin',
});
