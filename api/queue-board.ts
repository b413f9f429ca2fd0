import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { KoaAdapter } from '@bull-board/koa';
import type { Middleware } from 'koa';
import type { JobData, ParleyQueue } from '../queues/backend.ts';
import type { JobReply } from '../queues/store.ts';
import type { Step } from './context.ts';
import { opsGuard } from './ops-guard.ts';

const BOARD = '/admin/queues';

const policy =
  "default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; base-uri 'self'";

/** The operators' view of the queues. Nothing can be changed there, and bodies and replies are sealed. */
export function queueBoard(queues: readonly ParleyQueue[], password: string): Step[] {
  const server = new KoaAdapter().setBasePath(BOARD);
  const adapters = queues.map(queue => readOnly(new BullMQAdapter(queue as never, options)));
  createBullBoard({
    queues: adapters,
    serverAdapter: server,
    options: { uiConfig: { boardTitle: 'Parley' } },
  });
  return [
    onBoard(opsGuard(password)),
    onBoard(keptAmongOurselves),
    server.registerPlugin() as Middleware as Step,
  ];
}

const options = { readOnlyMode: true, allowRetries: false };

function readOnly(adapter: BullMQAdapter): BullMQAdapter {
  adapter.setFormatter('data', ({ requestId, hostId, deadline }: JobData) => ({
    requestId,
    hostId,
    deadline: new Date(deadline).toISOString(),
  }));
  adapter.setFormatter('returnValue', (reply: JobReply | null) => reply && { code: reply.code });
  return adapter;
}

function onBoard(step: Step): Step {
  return (ctx, next) => (ctx.path === BOARD || ctx.path.startsWith(`${BOARD}/`) ? step(ctx, next) : next());
}

/** The page asks Google for fonts; the policy keeps what operators look at among ourselves. */
const keptAmongOurselves: Step = (ctx, next) => {
  ctx.set('Content-Security-Policy', policy);
  return next();
};
