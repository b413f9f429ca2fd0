import type { IQueueBackend, RedisQueueBackend } from 'bullmq';
import { EVERYONE, type JobData } from './store.ts';

type Complete = IQueueBackend['moveToCompleted'];
type Fail = IQueueBackend['moveToFailed'];

/** Publishes the end of each job that BullMQ's own scripts end; see `redis-replies`. */
export function tellAskers(backend: RedisQueueBackend, channelPrefix: string): void {
  const library = {
    moveToCompleted: backend.moveToCompleted.bind(backend),
    moveToFailed: backend.moveToFailed.bind(backend),
  };
  const publish = async (asker: string, message: string) =>
    (await backend.client).runCommand('publish', [channelPrefix + asker, message]);
  const tell = ({ replyTo }: JobData, jobId: string, reply: string) => {
    if (replyTo === undefined) return;
    // Polling finds the reply without it.
    void publish(replyTo, replyTo === EVERYONE ? jobId : jobId + reply).catch(() => undefined);
  };
  const moveToCompleted = (async (job, value, ...rest) => {
    const completed = await library.moveToCompleted(job, value, ...rest);
    tell(job.data as JobData, job.id as string, JSON.stringify(value));
    return completed;
  }) as Complete;
  const moveToFailed = (async (job, ...rest) => {
    const failed = await library.moveToFailed(job, ...rest);
    tell(job.data as JobData, job.id as string, '');
    return failed;
  }) as Fail;
  Object.assign(backend, { moveToCompleted, moveToFailed });
}
