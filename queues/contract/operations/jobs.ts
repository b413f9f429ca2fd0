import { LARGEST_BODY, operation } from '../operation.ts';
import { anyValue, field, integer, object, oneOf, optional, text } from '../shape.ts';
import { JOB_ID } from './example-ids.ts';

/** How the ids of jobs look; any other names none. */
export const jobIdForm = /^k[0-9a-f]{32,40}$/;

export const findJob = operation({
  summary: 'What became of a request sent with Prefer: respond-async, or of a reindexing',
  description:
    '`code` and `data` are those of the reply; they are kept for 10 minutes. A reindexing has a `state` alone, for tokens with the scope ' +
    '`admin`. An id that is none, whatever it looks like, is one that nobody knows.',
  queue: 'catalog',
  tag: 'jobs',
  method: 'GET',
  path: '/jobs/:jobId',
  body: object({
    jobId: field(
      'Id of the job: `jobId` of a 202, or `job_id` of a reindexing.',
      text({ min: 0, max: LARGEST_BODY }),
    ),
  }),
  data: object({
    state: field(
      '`queued`: not begun; `running`: under way; `completed`: there is a reply for good; `failed`: it may be asked again.',
      oneOf('queued', 'running', 'completed', 'failed'),
    ),
    code: field('HTTP status of the reply. Absent while there is none.', optional(integer())),
    data: field(
      'The `data` of the reply, as the call itself would have given it. Absent while there is none.',
      optional(anyValue()),
    ),
  }),
  example: { body: { jobId: JOB_ID }, data: { state: 'running' } },
  status: 200,
  refusals: ['job-not-found'],
  scope: undefined,
  hosts: 'all',
});
