import { operation } from '../operation.ts';
import { field, mapOf, nullable, number, object, oneOf, optional } from '../shape.ts';
import { SEARCH } from './paths.ts';

const HEALTH_TIMEOUT_MS = 2_000;

const counts = number({ min: 0, max: Number.MAX_VALUE });
const state = oneOf('ok', 'degraded', 'down');
export const healthScore = field(
  'Coverage and freshness of the index, 0 to 100; null before the first reconciliation.',
  nullable(counts),
);

/** If no worker replies, `checks` holds only `queue`. */
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
  refusals: [],
  hosts: 'all',
  responseForm: 'health',
  timeLimitMs: HEALTH_TIMEOUT_MS,
  method: 'GET',
  status: 200,
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
