import type { ParleyQueue } from './parts.ts';

/** A job that has not finished yet. */
export interface PendingJob {
  readonly hostId: string | null;
  readonly operation: string;
  readonly state: 'queued' | 'running';
}

export async function findPendingJob(queue: ParleyQueue, jobId: string): Promise<PendingJob | undefined> {
  const job = await queue.getJob(jobId);
  const state = job && pendingStateOf(await job.getState());
  return job && state && { hostId: job.data.hostId, operation: job.name, state };
}

/** Undefined if the job is not pending. */
function pendingStateOf(state: string): PendingJob['state'] | undefined {
  if (state === 'active') return 'running';
  return state === 'completed' || state === 'failed' || state === 'unknown' ? undefined : 'queued';
}
