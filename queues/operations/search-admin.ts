import { operation } from '../operation.ts';
import {
  answerList,
  dateTime,
  eitherOneOrList,
  flag,
  integer,
  list,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  uuid,
} from '../shape.ts';
import { CONVERSATION_ID, JOB_ID } from './example-ids.ts';
import { SEARCH } from './paths.ts';
import { originTable } from './search.ts';

const MOST_EVENTS = 1_000;
const HEALTH_WITHIN_MS = 2_000;

const event = {
  origin_table: originTable,
  origin_id: uuid(),
  operation: oneOf('INSERT', 'UPDATE', 'DELETE'),
};
const common = { queue: 'search', answer: 'bare', refusals: [], hosts: 'all' } as const;

export const queueSearchEvents = operation({
  ...common,
  summary: 'Tell that records have changed',
  description: `One event, or up to ${MOST_EVENTS}. The index takes over what the records are at that moment, so that order and repetition do not matter.`,
  method: 'POST',
  path: `${SEARCH}/events`,
  body: eitherOneOrList(object(event), { max: MOST_EVENTS }),
  data: object({ accepted: flag(), queued: integer() }),
  example: {
    body: { origin_table: 'conversations', origin_id: CONVERSATION_ID, operation: 'UPDATE' },
    data: { accepted: true, queued: 1 },
  },
  status: 202,
  scope: 'search:write',
});

const counts = number({ min: 0, max: Number.MAX_VALUE });
const tableStats = object({
  source: counts,
  indexed: counts,
  missing: counts,
  orphans: counts,
  stale: counts,
  coverage: counts,
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
    tables: object({ conversations: tableStats, leads: tableStats, tickets: tableStats }),
    pipeline: object({
      pending: counts,
      processed: counts,
      failed: counts,
      last_flush_at: nullable(dateTime()),
      lag_ms: counts,
    }),
    listener: object({ connected: flag(), reconnects: counts, last_event_at: nullable(dateTime()) }),
    reconcile: object({
      last_run_at: nullable(dateTime()),
      duration_ms: nullable(counts),
      repaired: counts,
      removed: counts,
      next_run_at: nullable(dateTime()),
      health_score: nullable(counts),
      repairs: answerList(
        object({
          origin_table: originTable,
          origin_id: uuid(),
          what: oneOf('missing', 'stale', 'orphan', 'kept'),
          at: dateTime(),
        }),
      ),
    }),
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
    tables: optional(list(originTable, { min: 1, max: 3 })),
    mode: optional(oneOf('missing', 'full')),
    since: optional(dateTime()),
    batch_size: optional(integer({ min: 1, max: 1_000 })),
    confirm_orphans: optional(flag()),
    choosenHostId: optional(uuid()),
  }),
  data: object({
    job_id: text(),
    status: oneOf('enqueued'),
    tables: list(originTable, { max: 3 }),
    estimated_rows: integer(),
  }),
  example: {
    body: { tables: ['leads'], mode: 'full' },
    data: { job_id: JOB_ID, status: 'enqueued', tables: ['leads'], estimated_rows: 120 },
  },
  status: 202,
  refusals: ['reindex-running'],
  scope: 'admin',
});

/** With only the queue's check where no worker says anything. */
const health = object({
  status: oneOf('ok', 'degraded', 'down'),
  checks: mapOf(oneOf('ok', 'degraded', 'down'), { max: 10 }),
  freshness_ms: optional(counts),
  health_score: optional(nullable(counts)),
});
const exampleHealth = {
  status: 'ok' as const,
  checks: { database: 'ok' as const, listener: 'ok' as const, pipeline: 'ok' as const },
  freshness_ms: 0,
  health_score: 100,
};
const healthOf = {
  ...common,
  answer: 'health',
  deadlineMs: HEALTH_WITHIN_MS,
  method: 'GET',
  status: 200,
} as const;

export const searchEventsHealth = operation({
  ...healthOf,
  summary: 'Whether what changes comes into the index in time',
  description: '503 when it is down. Degraded when the oldest event waits for more than 30 s.',
  path: `${SEARCH}/events/health`,
  body: object({}),
  data: health,
  example: { body: {}, data: exampleHealth },
  scope: 'search:write',
  orScope: 'admin',
});

export const searchHealth = operation({
  ...healthOf,
  summary: 'Whether the index is complete and fresh',
  description:
    '503 when it is down. The score is 100 × coverage × freshness, null before the first reconciliation.',
  path: `${SEARCH}/admin/health`,
  body: object({}),
  data: health,
  example: { body: {}, data: exampleHealth },
  scope: 'admin',
});
