import {
  field,
  integer,
  mapOf,
  nullable,
  oneOf,
  openObject,
  optional,
  responseList,
  type Shape,
  text,
} from '../../queues/contract/shape.ts';
import type { Call } from '../call.ts';
import { type Json, jsonSchemaOf } from '../openapi/json-schema-of.ts';
import { requestIdHeader } from '../openapi/openapi-parameters.ts';
import { toJsonContent } from '../openapi/openapi-responses.ts';

const state = oneOf('ok', 'down');
const age = (meaning: string) => field(meaning, nullable(integer({ min: 0 })));
const queue = openObject({
  status: field('`down` if jobs wait too long and none completes.', state),
  waiting: field('Number of waiting jobs.', integer({ min: 0 })),
  oldest_ms: age('Age of the oldest waiting job, in milliseconds; null if there is none.'),
  last_completed_ms: age(
    'Time since the last job completed or failed, in milliseconds; null if none has since the start.',
  ),
});

/** For load balancers and monitoring; they need no token. */
export const healthCalls = {
  live: declare(
    'live',
    'Check liveness',
    openObject({ status: field('Always `ok`: the process runs.', oneOf('ok')) }),
    { status: 'ok' },
  ),
  ready: declare(
    'ready',
    'Check readiness',
    openObject({
      status: field('`down` if any component is; a load balancer should then send no requests.', state),
      checks: field('Status of each required component, by name.', mapOf(state, { max: 100 })),
      reasons: field(
        'Why a component is down, by name. Absent if none is.',
        optional(mapOf(text({ max: 1_000 }), { max: 100 })),
      ),
    }),
    { status: 'ok', checks: { process: 'ok', database: 'ok', migrations: 'ok', queue: 'ok', workers: 'ok' } },
  ),
  workers: declare(
    'workers',
    'Check the progress of the workers',
    openObject({
      status: field(
        '`down` if any queue is, if a process is missing or has another SECRET_KEY, or if the processes cannot be read.',
        state,
      ),
      queues: field('Progress of each queue, by name.', mapOf(queue, { max: 100 })),
      missing: field(
        'Names of missing processes; empty if none is missing.',
        responseList(text({ max: 1_000 })),
      ),
      other_secret_key: field(
        'Names of processes with another SECRET_KEY, which cannot decrypt the jobs of this one.',
        responseList(text({ max: 1_000 })),
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

function declare(name: string, summary: string, shape: Shape<unknown>, example: Json): Call {
  const content = (value: Json) => toJsonContent(jsonSchemaOf(shape), value);
  const down = { description: 'A component is down', ...content({ ...example, status: 'down' }) };
  return {
    name: `${name}Health`,
    summary,
    tag: 'health',
    method: 'GET',
    path: `/health/${name}`,
    security: [],
    parameters: [requestIdHeader],
    answers: { 200: content(example), ...(name === 'live' ? {} : { 503: down }) },
    refusals: ['request-unreadable', 'method-not-allowed', 'headers-too-large', 'internal'],
  };
}
