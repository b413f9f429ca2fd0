import { failure, type Outcome } from '../../queues/contract/failure.ts';
import { type OperationName, operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { jobIdForm } from '../../queues/contract/operations/jobs.ts';
import type { QueueName } from '../../queues/contract/queues.ts';
import type { JobRequest } from '../../queues/transport/queued-job.ts';
import type { Ctx } from '../context.ts';
import type { Ask, RouteParts } from '../job-request.ts';
import { RefusalError } from './envelope.ts';

const asyncQueues = new Set<QueueName>(
  operationNames.flatMap(name => (operationOf(name).mayRespondAsync ? operationOf(name).queue : [])),
);

/** A job that could not be looked up may wait or run: a 404 would tell its caller to send the request again. */
function refuse(): never {
  throw new RefusalError(failure('unavailable'));
}

export type JobFinder = (ctx: Ctx, request: JobRequest) => Promise<Outcome<unknown>>;

/** A pending job is in the queue store; the reply of a finished job is in the database. */
export function makeJobFinder({ dispatcher }: Pick<RouteParts, 'dispatcher'>, ask: Ask): JobFinder {
  return async (ctx, request) => {
    const { jobId } = request.body as { jobId: string };
    if (!jobIdForm.test(jobId)) throw new RefusalError(failure('job-not-found'));
    const pending = await findPending(ctx, jobId, request.caller.hostIds);
    return pending ? { code: 200, data: pending } : ask(request);
  };

  async function findPending(ctx: Ctx, jobId: string, hostIds: readonly string[]) {
    for (const queue of asyncQueues) {
      const job = await dispatcher.findPending(queue, jobId).catch(refuse);
      if (!job) continue;
      const { scope } = operationOf(job.operation as OperationName);
      const isTheirs = job.hostId !== null && hostIds.includes(job.hostId);
      if (isTheirs && scope && ctx.state.token?.scopes.includes(scope)) return { state: job.state };
    }
    return undefined;
  }
}
