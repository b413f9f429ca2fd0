import type { HandlerJob } from '../runtime/job.ts';

/** A job has another turn where the reply of its first has expired: its idempotency key is free again. */
export function toLaterTurn(job: HandlerJob<'reason'>): HandlerJob<'reason'> {
  return { ...job, jobId: `${job.jobId}.${job.arrivedAt}` };
}

/** The job of a turn. Job ids contain no dot. */
export function jobIdOf(turnId: string): string {
  return turnId.split('.', 1)[0] ?? turnId;
}
