import type { HandlerJob } from '../runtime/job.ts';

/** A job, and the turn of it that runs. */
export interface TurnJob extends HandlerJob<'reason'> {
  readonly turnId: string;
}

/** The first turn of a job has its id. */
export function toFirstTurn(job: HandlerJob<'reason'>): TurnJob {
  return { ...job, turnId: job.jobId };
}

/** A job has another turn where the reply of its first has expired: its idempotency key is free again. */
export function toLaterTurn(job: TurnJob): TurnJob {
  return { ...job, turnId: `${job.jobId}.${job.arrivedAt}` };
}

/** The job of a turn. Job ids contain no dot. */
export function jobIdOf(turnId: string): string {
  return turnId.split('.', 1)[0] ?? turnId;
}
