import type { Logger } from 'pino';
import type { ApiMiddleware, Ctx } from './context.ts';

/**
 * One line per request, for health checks at `debug`. Logs only these fields, because bodies, headers, queries and paths may hold
 * personal data: `route` is the path as it is declared, and absent where there is none.
 */
export function makeAccessLog(log: Logger): ApiMiddleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    ctx.res.once('close', () => {
      const { requestId, operation, ignoredFields, token } = ctx.state;
      const route = routeOf(ctx);
      const line = {
        event: 'request.finished',
        requestId,
        operation,
        tokenId: token?.id,
        method: ctx.method,
        route,
        status: ctx.res.statusCode,
        gone: !ctx.res.writableFinished,
        ignoredFields: ignoredFields || undefined,
        ms: Math.round(performance.now() - startedAt),
      };
      if (route?.startsWith('/health/')) log.debug(line, 'request finished');
      else log.info(line, 'request finished');
    });
    await next();
  };
}

/** The path as it is declared, which the router has noted. */
function routeOf(ctx: Ctx): string | undefined {
  const route: unknown = ctx['_matchedRoute'];
  return typeof route === 'string' ? route : undefined;
}
