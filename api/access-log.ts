import type { Logger } from 'pino';
import type { Step } from './context.ts';

/** One line a request. Only these fields: a body, a header or a query may hold what people wrote. */
export function accessLog(log: Logger): Step {
  return async (ctx, next) => {
    const startedAt = performance.now();
    ctx.res.once('close', () => {
      const { requestId, operation, ignoredFields, token } = ctx.state;
      const line = {
        requestId,
        operation,
        tokenId: token?.id,
        method: ctx.method,
        status: ctx.res.statusCode,
        gone: !ctx.res.writableFinished,
        ignoredFields: ignoredFields || undefined,
        ms: Math.round(performance.now() - startedAt),
      };
      log.info(line, 'request');
    });
    await next();
  };
}
