import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { KoaAdapter } from '@bull-board/koa';
import type { Middleware } from 'koa';
import { failure } from '../queues/contract/failure.ts';
import type { ParleyQueue } from '../queues/transport/parts.ts';
import type { JobData, JobReply } from '../queues/transport/store.ts';
import type { ApiMiddleware } from './context.ts';
import { RETRY_AFTER, RefusalError } from './replies/envelope.ts';

const BOARD = '/admin/queues';

const policy =
  "default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; base-uri 'self'";

export interface BoardSettings {
  readonly guard: ApiMiddleware;
  /** Lets operators retry, remove and promote jobs, and pause queues. */
  readonly isWritable: boolean;
}

/**
 * The changes that operators may make if the board is writable. Not included: writing job data, which is sealed, and
 * removing queues, because callers wait for their jobs.
 */
const allowedChange =
  /\/api\/queues\/(?:[^/]+\/)?(?:[^/]+\/)?(?:retry|clean|promote|pause|resume)(?:\/[a-z]+)?$/;

/** The queue board for operators. It never shows bodies and replies, which are sealed. */
export function makeQueueBoard(
  queues: readonly ParleyQueue[],
  { guard, isWritable }: BoardSettings,
): ApiMiddleware[] {
  const server = new KoaAdapter().setBasePath(BOARD);
  const options = { readOnlyMode: !isWritable, allowRetries: isWritable };
  const adapters = queues.map(queue => hideContents(new BullMQAdapter(queue as never, options)));
  createBullBoard({
    queues: adapters,
    serverAdapter: server,
    options: { uiConfig: { boardTitle: 'Parley' } },
  });
  server.setErrorHandler(answerError);
  return [
    limitToBoard(guard),
    limitToBoard(allowOnlyChanges(isWritable ? allowedChange : undefined)),
    limitToBoard(blockExternalFonts),
    limitToBoard(sayWhenToRetry),
    server.registerPlugin() as Middleware as ApiMiddleware,
  ];
}

function hideContents(adapter: BullMQAdapter): BullMQAdapter {
  adapter.setFormatter('data', ({ requestId, hostId, deadline }: JobData) => ({
    requestId,
    hostId,
    deadline: new Date(deadline).toISOString(),
  }));
  adapter.setFormatter('returnValue', (reply: JobReply | null) => reply && { code: reply.code });
  return adapter;
}

function allowOnlyChanges(allowed: RegExp | undefined): ApiMiddleware {
  return (ctx, next) => {
    const isChange = ctx.method !== 'GET' && ctx.method !== 'HEAD';
    if (isChange && !allowed?.test(ctx.path)) throw new RefusalError(failure('method-not-allowed'));
    // The allowed changes have no body; the board would fail to parse an empty one.
    ctx['disableBodyParser'] = true;
    return next();
  };
}

function limitToBoard(middleware: ApiMiddleware): ApiMiddleware {
  return (ctx, next) =>
    ctx.path === BOARD || ctx.path.startsWith(`${BOARD}/`) ? middleware(ctx, next) : next();
}

/** Removes the link to Google Fonts, which would reveal the operators' visits. */
const blockExternalFonts: ApiMiddleware = async (ctx, next) => {
  ctx.set('Content-Security-Policy', policy);
  await next();
  if (typeof ctx.body === 'string') ctx.body = ctx.body.replace(/<link href="https:[^>]*>/, '');
};

/**
 * Turns an error of the board into a response. The board only asks the store: an error means that the store is slow or away,
 * unless BullMQ refused something about a job, which has a numeric code. The page shows `error` as the title of a message.
 */
function answerError(error: Error & { readonly code?: unknown }) {
  const { message } = error;
  const isRefused = typeof error.code === 'number' || error instanceof TypeError;
  if (isRefused) return { status: 500 as const, body: { error: 'The queue refused this', message } };
  // The types of the board know no 503.
  const status = failure('unavailable').code as 500;
  return { status, body: { ...failure('unavailable'), error: 'Try again in a few seconds' } };
}

const sayWhenToRetry: ApiMiddleware = async (ctx, next) => {
  await next();
  if (ctx.status === 503) ctx.set('Retry-After', RETRY_AFTER);
};
