import type { IQueueBackend, RedisQueueBackend } from 'bullmq';
import { gatherCalls } from './gather-calls.ts';
import { jobOptions } from './job-limits.ts';
import { type AddedJob, type CallOptions, makeRedisCalls } from './redis-calls.ts';

/** Adds the jobs of one turn of the event loop with one script. */
export function gatherAdds(backend: RedisQueueBackend, options: CallOptions): void {
  const addWithLibrary = backend.addJob.bind(backend);
  const calls = makeRedisCalls(backend, options);
  const lengthOf = ({ data }: AddedJob) => data.length;
  const add = gatherCalls<AddedJob, string>(lengthOf, async jobs => {
    await calls.add(jobs);
    return jobs.map(({ id }) => id);
  });
  const addJob: IQueueBackend['addJob'] = (job, jobId, parent) =>
    // Jobs with other options, such as a priority, need BullMQ's scripts.
    job.opts === jobOptions ? add({ ...job, id: jobId }) : addWithLibrary(job, jobId, parent);
  Object.assign(backend, { addJob });
}
