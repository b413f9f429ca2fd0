import Router from '@koa/router';
import type { State } from './context.ts';

/** Resolves when a part without which this process is of no use answers; rejects when it does not. */
export type Check = () => Promise<unknown>;

/** `live`: the process runs. `ready`: it can take work now; a load balancer asks this one. */
export function healthRoutes(checks: Record<string, Check>): Router<State> {
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
  return router;
}

function isHeld(check: Check): Promise<boolean> {
  return check().then(
    () => true,
    () => false,
  );
}
