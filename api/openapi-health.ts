import {
  answerList,
  field,
  integer,
  mapOf,
  nullable,
  oneOf,
  openObject,
  optional,
  type Shape,
  text,
} from '../queues/contract/shape.ts';
import type { Tag } from '../queues/contract/tags.ts';
import { type Json, jsonSchemaOf } from './json-schema-of.ts';
import { failureRefs } from './openapi-failures.ts';
import { headerRefs, headersOf } from './openapi-headers.ts';
import { requestIdHeader } from './openapi-parameters.ts';
import { jsonContent } from './openapi-responses.ts';

const tag: Tag = 'health';
export const healthReasons = [
  'request-unreadable',
  'method-not-allowed',
  'headers-too-large',
  'internal',
] as const;

const state = oneOf('ok', 'down');
const age = (meaning: string) => field(meaning, nullable(integer({ min: 0 })));
const queue = openObject({
  status: field('`down` where work waits too long and none is done.', state),
  waiting: field('How many jobs wait.', integer({ min: 0 })),
  oldest_ms: age('Age of the oldest job that could run, in milliseconds; null where none waits.'),
  last_completed_ms: age('Time since a job ended, in milliseconds; null where none has since the start.'),
});

/** The addresses that a load balancer or an alarm asks: they need no token, and answer at once. */
export function healthPaths(): Json {
  return {
    '/health/live': pathOf(
      'live',
      'Whether the process runs',
      openObject({ status: field('Always `ok`.', oneOf('ok')) }),
      {
        status: 'ok',
      },
    ),
    '/health/ready': pathOf(
      'ready',
      'Whether the service can take work now; for a load balancer',
      openObject({
        status: field('`down` where any part is.', state),
        checks: field(
          'The same for each part that the service cannot do without, by its name.',
          mapOf(state, { max: 100 }),
        ),
        reasons: field(
          'Why a part is down, by its name. Absent where none is.',
          optional(mapOf(text({ max: 1_000 }), { max: 100 })),
        ),
      }),
      { status: 'ok', checks: { database: 'ok', migrations: 'ok', queue: 'ok' } },
    ),
    '/health/workers': pathOf(
      'workers',
      'Whether the work is being done; for an alarm',
      openObject({
        status: field('`down` where any queue is, a process is missing, or none can be seen.', state),
        queues: field('How each queue is getting on, by its name.', mapOf(queue, { max: 100 })),
        missing: field(
          'Processes that should run and were not seen, by their names; empty where none is missing.',
          answerList(text({ max: 1_000 })),
        ),
        other_secret_key: field(
          'Processes that have another SECRET_KEY than this one, by their names; they cannot open its work.',
          answerList(text({ max: 1_000 })),
        ),
      }),
      {
        status: 'ok',
        queues: { turns: { status: 'ok', waiting: 0, oldest_ms: null, last_completed_ms: 840 } },
        missing: [],
        other_secret_key: [],
      },
    ),
  };
}

function pathOf(name: string, summary: string, shape: Shape<unknown>, example: Json): Json {
  const content = (value: Json) => jsonContent(jsonSchemaOf(shape), value);
  const down = { ...content({ ...example, status: 'down' }), headers: headerRefs(headersOf(503)) };
  const get = {
    operationId: `${name}Health`,
    summary,
    tags: [tag],
    security: [],
    parameters: [requestIdHeader],
    responses: {
      200: { description: 'Success', headers: headerRefs(headersOf(200)), ...content(example) },
      ...failureRefs(healthReasons),
      ...(name === 'live' ? {} : { 503: { description: 'Something is down', ...down } }),
    },
  };
  return { get };
}
