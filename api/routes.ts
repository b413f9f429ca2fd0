import Router from '@koa/router';
import { isFailure } from '../queues/contract/failure.ts';
import { type OperationName, operationNames, operationOf } from '../queues/contract/operations/index.ts';
import { type Ask, makeAsk } from './ask.ts';
import { makeAuthentication, makeScopeGuard } from './authenticate.ts';
import type { ApiMiddleware, State } from './context.ts';
import { sendOutcome } from './envelope.ts';
import { makeFindJob } from './find-job.ts';
import { jobRequestOf, type RouteParts } from './job-request.ts';
import { makeBodyReader } from './read-body.ts';
import { makeRequestPace } from './request-pace.ts';
import { runInRequestSpan } from './request-span.ts';
import { makeSignedIntake, SIGNED_INTAKE_PATH } from './signed-intake.ts';
import { mapServerErrorTo503, timeLimitOf } from './time-limit.ts';

/** One route per operation, whose guards run in this order; and that of signed records. */
export function makeOperationRoutes(parts: RouteParts): Router<State> {
  const router = new Router<State>();
  const pace = makeRequestPace();
  const ask = makeAsk(parts.dispatcher);
  for (const name of operationNames) {
    const operation = operationOf(name);
    const limits = { ...timeLimitOf(operation, parts.timeoutMs), hasExactIntegers: operation.takesRecords };
    const body = operation.method === 'POST' ? [makeBodyReader(limits)] : [];
    const rights = [makeAuthentication(parts.findToken), parts.rateLimit, makeScopeGuard(operation)];
    const guards = [...rights, pace, ...body];
    const last = name === 'findJob' ? makeFindJob(parts, ask) : makeDispatchMiddleware(name, parts, ask);
    for (const path of [operation.path, ...(operation.aliases ?? [])]) {
      router.register(path, [operation.method], [...guards, last] as never);
    }
  }
  router.register(SIGNED_INTAKE_PATH, ['POST'], makeSignedIntake(parts, pace) as never);
  return router;
}

function makeDispatchMiddleware(name: OperationName, parts: RouteParts, ask: Ask): ApiMiddleware {
  const work: ApiMiddleware = async ctx => {
    const request = jobRequestOf(ctx, name, parts);
    const operation = operationOf(name);
    if (!request.isAsync) {
      return sendOutcome(ctx, mapServerErrorTo503(operation, await ask(request)), operation.responseForm);
    }
    const outcome = await parts.dispatcher.enqueue(request);
    if (isFailure(outcome)) return sendOutcome(ctx, outcome);
    ctx.set('Location', `/jobs/${outcome.data.jobId}`);
    ctx.set('Preference-Applied', 'respond-async');
    sendOutcome(ctx, { code: 202, data: { jobId: outcome.data.jobId, state: 'queued' } });
  };
  return (ctx, next) => runInRequestSpan(ctx, name, async () => work(ctx, next));
}
