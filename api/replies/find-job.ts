import { failure, type Outcome } from '../../queues/contract/failure.ts';
import { type OperationName, operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { jobIdForm } from '../../queues/contract/operations/jobs.ts';
import type { Request } from '../../queues/transport/request.ts';
import type { PendingJob } from '../../queues/transport/store.ts';
import type { Ctx } from '../context.ts';
import type { Ask, RouteParts } from '../request.ts';
import { RefusalError } from './envelope.ts';

const queues = [
  ...new Set(
    operationNames.flatMap(name => (operationOf(name).mayRespondAsync ? operationOf(name).queue : [])),
  ),
];

export type JobFinder = (ctx: Ctx, request: Request) => Promise<Outcome<unknown>>;

/** Looks up a pending job in the queue store, and the reply of a finished one in the database. */
export function makeJobFinder({ dispatcher }: Pick<RouteParts, 'dispatcher'>, ask: Ask): JobFinder {
  return async (ctx, request) => {
    const { jobId } = request.body as { jobId: string };
    if (!jobIdForm.test(jobId)) throw new RefusalError(failure('job-not-found'));
    const looks = await Promise.allSettled(queues.map(queue => dispatcher.findPending(queue, jobId)));
    const found = looks.flatMap(look => (look.status === 'fulfilled' && look.value ? look.value : []));
    const pending = found.find(job => isTheirs(ctx, job, request.caller.hostIds));
    if (pending) return { code: 200, data: { state: pending.state } };
    const stored = await ask(request);
    // A queue that could not be asked may hold the job: after a 404, the caller would send the request again.
    const isMissed = stored.code === 404 && looks.some(({ status }) => status === 'rejected');
    if (isMissed) throw new RefusalError(failure('unavailable'));
    return stored;
  };
}

function isTheirs(ctx: Ctx, { hostId, operation }: PendingJob, hostIds: readonly string[]): boolean {
  const { scope } = operationOf(operation as OperationName);
  const isOfHost = hostId !== null && hostIds.includes(hostId);
  return isOfHost && scope !== undefined && Boolean(ctx.state.token?.scopes.includes(scope));
}
