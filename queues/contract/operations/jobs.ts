import { MAX_BODY_BYTES } from '../body-limit.ts';
import { operation } from '../operation.ts';
import { anyValue, field, integer, object, oneOf, optional, text } from '../shape.ts';
import { JOB_ID } from './example-ids.ts';

export const jobIdForm = /^k[0-9a-f]{32,40}$/;

export const findJob = operation({
  effect: 'reads',
  summary: 'Get the status of an async request, import or reindexing',
  description:
    'An async request is one sent with `Prefer: respond-async`. Its reply (`code` and `data`) is kept for 10 minutes. A reindexing has only a `state`. ' +
    'The token needs the scope of the call that made the job. The import of a document has a `progress`; it ends with `code` 200 and the numbers of its passages, or with 422 and a `reason`. An unknown or malformed id gets a 404.',
  tag: 'jobs',
  method: 'GET',
  path: '/jobs/:jobId',
  body: object({
    jobId: field(
      'Id of the job: `jobId` of a 202, also of importDocumentHelper, or `job_id` of a reindexing.',
      text({ min: 0, max: MAX_BODY_BYTES }),
    ),
  }),
  data: object({
    state: field(
      '`queued`: not started; `running`: in progress; `completed`: the reply is final; `failed`: the request may be sent again.',
      oneOf('queued', 'running', 'completed', 'failed'),
    ),
    progress: field(
      'How far the import of a document is. Absent for other jobs.',
      optional(
        object({
          stage: field(
            'What is done now: `waiting`, `fetching` (of an address), `reading`, `storing`, `ended`.',
            oneOf('waiting', 'fetching', 'reading', 'storing', 'ended'),
          ),
          done: field('Pages or passages of this stage that are done.', integer({ min: 0 })),
          total: field('Their number in all; 0 while it is unknown.', integer({ min: 0 })),
        }),
      ),
    ),
    code: field('HTTP status of the reply. Absent until there is one.', optional(integer())),
    data: field(
      'The `data` of the reply, as in a synchronous response. Absent until there is one.',
      optional(anyValue()),
    ),
  }),
  example: { body: { jobId: JOB_ID }, data: { state: 'running' } },
  refusals: ['job-not-found'],
  scope: undefined,
  hosts: 'all',
});
