import type { IQueueBackend } from 'bullmq';
import { batchCalls } from '../../platform/batch.ts';
import { jobOptions } from './job-limits.ts';
import { type AddedJob, batchOfTick, type QueueCalls } from './queue-calls.ts';

/** Adds the jobs of one tick of the event loop with one call. */
export function batchAdds(backend: IQueueBackend, calls: QueueCalls): void {
  const addWithLibrary = backend.addJob.bind(backend);
  const lengthOf = ({ data }: AddedJob) => data.length;
  const addAll = async (jobs: readonly AddedJob[]) => {
    await calls.add(jobs);
    return jobs.map(({ id }) => id);
  };
  const add = batchCalls({ makeCalls: addAll, ...batchOfTick(lengthOf, calls.maxAdds) });
  const addJob: IQueueBackend['addJob'] = (job, jobId, parent) =>
    // Jobs with other options, such as a delay or a parent, need BullMQ's own call.
    job.opts === jobOptions ? add({ ...job, id: jobId }) : addWithLibrary(job, jobId, parent);
  Object.assign(backend, { addJob });
}
