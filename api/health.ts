import Router from '@koa/router';
import type { QueueProgress } from '../queues/progress.ts';
import type { State } from './context.ts';

/** Resolves when a part without which this process is of no use answers; rejects when it does not. */
export type Check = () => Promise<unknown>;

/**
 * `live`: the process runs. `ready`: it can take work now; a load balancer asks this one. `workers`: the work is being
 * done; an alarm asks this one, since a worker that hangs answers every ping.
 */
export function healthRoutes(
  checks: Record<string, Check>,
  progress: () => Promise<readonly QueueProgress[]>,
): Router<State> {
  const router = new Router<State>();
  router.get('/health/live', ctx => {
    ctx.body = { status: 'ok' };
  });
  router.get('/health/ready', async ctx => {
    const names = Object.keys(checks);
    const held = await Promise.all(Object.values(checks).map(isHeld));
    const isReady = held.every(Boolean);
    ctx.status = isReady ? 200 : 503;
    if (!isReady) ctx.set('Retry-After', '5');
    const seen = Object.fromEntries(names.map((name, at) => [name, held[at] ? 'ok' : 'down']));
    ctx.body = { status: isReady ? 'ok' : 'down', checks: seen };
  });
  router.get('/health/workers', async ctx => {
    const seen = await progress().catch(() => undefined);
    const isWell = seen?.every(queue => !queue.isStuck) ?? false;
    ctx.status = isWell ? 200 : 503;
    ctx.body = { status: isWell ? 'ok' : 'down', queues: Object.fromEntries((seen ?? []).map(shownOf)) };
  });
  return router;
}

function shownOf({ queue, depth, oldestAgeMs, sinceEndedMs, isStuck }: QueueProgress) {
  const rounded = (ms: number | undefined) => (ms === undefined ? null : Math.round(ms));
  const ages = { oldest_ms: rounded(oldestAgeMs), last_completed_ms: rounded(sinceEndedMs) };
  return [queue, { status: isStuck ? 'down' : 'ok', waiting: depth, ...ages }] as const;
}

function isHeld(check: Check): Promise<boolean> {
  return check().then(
    () => true,
    () => false,
  );
}
