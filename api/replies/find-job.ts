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

/** A pending job is in the queue store; the reply of a finished job is in the database. */
export function makeJobFinder({ dispatcher }: Pick<RouteParts, 'dispatcher'>, ask: Ask): JobFinder {
  return async (ctx, request) => {
    const { jobId } = request.body as { jobId: string };
    if (!jobIdForm.test(jobId)) throw new RefusalError(failure('job-not-found'));
    const looks = await Promise.allSettled(queues.map(queue => dispatcher.findPending(queue, jobId)));
    const found = looks.flatMap(look => (look.status === 'fulfilled' && look.value ? look.value : []));
    const pending = found.find(job => isTheirs(ctx, job, request.caller.hostIds));
    if (pending) return { code: 200, data: { state: pending.state } };
    const stored = await ask(request);
    // It may wait or run in a queue that could not be asked: a 404 would tell its caller to send the request again.
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
