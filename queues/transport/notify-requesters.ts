import type { IQueueBackend } from 'bullmq';
import type { QueueCalls } from './queue-calls.ts';
import type { JobData } from './store.ts';

type Complete = IQueueBackend['moveToCompleted'];
type Fail = IQueueBackend['moveToFailed'];

/** Notifies the requesting process of the end of each job that BullMQ's own calls end. */
export function notifyRequesters(backend: IQueueBackend, calls: QueueCalls): void {
  const library = {
    moveToCompleted: backend.moveToCompleted.bind(backend),
    moveToFailed: backend.moveToFailed.bind(backend),
  };
  const notify = ({ replyTo }: JobData, jobId: string, reply: string) => {
    // Polling finds the reply without it.
    if (replyTo !== undefined) void calls.notifyEnd(replyTo, jobId, reply).catch(() => undefined);
  };
  const moveToCompleted = (async (job, value, ...rest) => {
    const completed = await library.moveToCompleted(job, value, ...rest);
    notify(job.data as JobData, job.id as string, JSON.stringify(value));
    return completed;
  }) as Complete;
  const moveToFailed = (async (job, ...rest) => {
    const failed = await library.moveToFailed(job, ...rest);
    notify(job.data as JobData, job.id as string, '');
    return failed;
  }) as Fail;
  Object.assign(backend, { moveToCompleted, moveToFailed });
}
