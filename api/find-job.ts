import type { QueueName } from '../queues/operation.ts';
import { type OperationName, operationNames, operationOf } from '../queues/operations/index.ts';
import { askedOf, type RouteParts } from './asked.ts';
import type { Ctx, Step } from './context.ts';
import { answer } from './envelope.ts';

const asyncQueues = new Set<QueueName>(
  operationNames.flatMap(name => (operationOf(name).mayRespondAsync ? operationOf(name).queue : [])),
);

/** A job on its way is seen in the queue's store; one that is through has left its reply in the database. */
export function findJob(parts: RouteParts): Step {
  const { dispatcher } = parts;
  return async ctx => {
    const asked = askedOf(ctx, 'findJob', parts);
    const { jobId } = asked.body as { jobId: string };
    const sight = await sightOf(ctx, jobId, asked.caller.hostIds);
    answer(ctx, sight ? { code: 200, data: sight } : await dispatcher.ask(asked));
  };

  async function sightOf(ctx: Ctx, jobId: string, hostIds: readonly string[]) {
    for (const queue of asyncQueues) {
      const sight = await dispatcher.sight(queue, jobId).catch(() => undefined);
      if (!sight) continue;
      const { scope } = operationOf(sight.operation as OperationName);
      const isTheirs = sight.hostId !== null && hostIds.includes(sight.hostId);
      if (isTheirs && scope && ctx.state.token?.scopes.includes(scope)) return { state: sight.state };
    }
    return undefined;
  }
}
