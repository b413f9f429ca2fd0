import type { Logger } from 'pino';
import type { ApiMiddleware } from './context.ts';

/** One line per request. Logs only these fields, because bodies, headers and queries may hold personal data. */
export function makeAccessLog(log: Logger): ApiMiddleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    ctx.res.once('close', () => {
      const { requestId, operation, ignoredFields, token } = ctx.state;
      const line = {
        event: 'request.finished',
        requestId,
        operation,
        tokenId: token?.id,
        method: ctx.method,
        status: ctx.res.statusCode,
        gone: !ctx.res.writableFinished,
        ignoredFields: ignoredFields || undefined,
        ms: Math.round(performance.now() - startedAt),
      };
      log.info(line, 'request finished');
    });
    await next();
  };
}
