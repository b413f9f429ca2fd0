import { operation } from '../operation.ts';
import { anything, integer, matching, object, oneOf, optional } from '../shape.ts';
import { JOB_ID } from './example-ids.ts';

export const findJob = operation({
  summary: 'What became of a request sent with Prefer: respond-async',
  description: '`code` and `data` are those of the reply; they are kept for 10 minutes.',
  queue: 'catalog',
  method: 'GET',
  path: '/jobs/:jobId',
  body: object({ jobId: matching(/^k[0-9a-f]{32,40}$/) }),
  data: object({
    state: oneOf('queued', 'running', 'completed', 'failed'),
    code: optional(integer()),
    data: optional(anything()),
  }),
  example: { body: { jobId: JOB_ID }, data: { state: 'running' } },
  status: 200,
  refusals: ['job-not-found'],
  scope: undefined,
  hosts: 'all',
});
