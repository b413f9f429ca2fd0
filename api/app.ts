import { randomUUID } from 'node:crypto';
import cors from '@koa/cors';
import Koa, { type Middleware } from 'koa';
import helmet from 'koa-helmet';
import type { Logger } from 'pino';
import { failure } from '../queues/contract/failure.ts';
import { makeConsoleRoutes } from './console/console-page.ts';
import { makeNoticeRoutes } from './console/notice-stream.ts';
import { makeOidcRoutes, type OidcProvider } from './console/oidc.ts';
import { makeSessionRoutes, type SessionStore } from './console/sessions.ts';
import type { ApiMiddleware, Ctx, State } from './context.ts';
import { type FileReader, makeFileRoutes } from './documents/read-file.ts';
import { makeSecretCheck } from './guards/rate-limit.ts';
import { readRest } from './guards/read-body.ts';
import { IGNORED_FIELDS_HEADER } from './guards/validate.ts';
import { type HealthChecks, makeHealthRoutes } from './health/health.ts';
import type { ApiMetrics } from './health/metrics.ts';
import { makeTestRunRoutes, mayRunTests, type TestRunSettings } from './health/test-run.ts';
import { makeDocsRoutes } from './openapi/docs-page.ts';
import { makeQueueBoard } from './queue-board.ts';
import { makeErrorSender, RefusalError } from './replies/envelope.ts';
import { makeOperationRoutes } from './routes.ts';
import type { SiteChatParts } from './site-chat/site-chat.ts';
import { makeSiteScriptRoutes } from './site-chat/site-script.ts';

export interface AppParts extends Omit<SiteChatParts, 'onBug'> {
  readonly log: Logger;
  readonly corsOrigins: readonly string[];
  readonly trustProxy: boolean;
  readonly tests: TestRunSettings;
  readonly metrics: ApiMetrics;
  /** Undefined: neither the queue board nor the metrics are mounted. */
  readonly opsPassword?: string | undefined;
  readonly queueBoardWritable?: boolean;
  readonly health: HealthChecks;
  readonly sessions: SessionStore;
  readonly readFile: FileReader;
  readonly oidc: OidcProvider | undefined;
  /** Milliseconds on the clock of the queue's store. */
  now(): number;
}

const validRequestId = /^[\w.:-]{1,128}$/;

export function makeApp(parts: AppParts): Koa<State> {
  const { log, corsOrigins } = parts;
  // Only the last address in X-Forwarded-For is from the proxy; a client can forge the others.
  const app = new Koa<State>({ proxy: parts.trustProxy, maxIpsCount: 1 });
  const onBug = (error: unknown, id: string) =>
    log.error(
      { event: 'request.failed', err: error, requestId: id },
      'request failed with an unexpected error',
    );
  const operations = makeOperationRoutes({ ...parts, onBug });
  app.use(readRest);
  app.use(makeRequestId(parts.now));
  app.use(makeAccessLog(log));
  app.use(parts.metrics.count);
  app.use(helmet());
  app.use(forbidCaching);
  if (corsOrigins.length > 0) app.use(allowOrigins(corsOrigins));
  app.use(makeErrorSender(onBug));
  app.use(makeHealthRoutes(parts.health).routes());
  app.use(makeDocsRoutes(parts.version, mayRunTests(parts.tests)).routes());
  app.use(makeConsoleRoutes().routes());
  app.use(makeSiteScriptRoutes().routes());
  app.use(makeSessionRoutes(parts).routes());
  app.use(makeOidcRoutes(parts).routes());
  app.use(makeNoticeRoutes(parts).routes());
  app.use(makeFileRoutes(parts).routes());
  if (parts.opsPassword) {
    const guard = makeOpsGuard(parts.opsPassword);
    app.use(parts.metrics.routes(guard).routes());
    const board = { guard, isWritable: parts.queueBoardWritable ?? false };
    for (const step of makeQueueBoard(parts.dispatcher.queues(), board)) app.use(step);
  }
  app.use(makeTestRunRoutes(parts.tests, parts.timeoutMs).routes());
  app.use(operations.routes());
  app.use(operations.allowedMethods());
  app.on('error', error =>
    log.warn({ event: 'response.send_failed', err: error }, 'failed to send a response'),
  );
  return app;
}

/** Responses are personal data by default; static files override this. */
const forbidCaching: ApiMiddleware = (ctx, next) => {
  ctx.set('Cache-Control', 'no-store');
  return next();
};

function allowOrigins(origins: readonly string[]): Middleware {
  return cors({
    origin: ctx => (origins.includes(ctx.get('origin')) ? ctx.get('origin') : ''),
    exposeHeaders: ['X-Request-Id', 'Retry-After', 'Location', IGNORED_FIELDS_HEADER],
  });
}

/** Ignored names that look like misspelt fields are logged; any other name may be something a person said. */
const fieldName = /^[a-z_][\w.-]*$/i;

/**
 * One line per request, for health checks at `debug`. Logs only these fields, because bodies, headers, queries and paths may hold
 * personal data: `route` is the path as it is declared, and absent where there is none.
 */
function makeAccessLog(log: Logger): ApiMiddleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    ctx.res.once('close', () => {
      const { requestId, operation, ignoredFields, token } = ctx.state;
      // A request that is refused before its host is chosen, for its pace or its scope, is of the only host of its token.
      const hostId = ctx.state.hostId ?? (token?.hosts.length === 1 ? token.hosts[0]?.host_id : undefined);
      const route = routeOf(ctx);
      const line = {
        event: 'request.finished',
        requestId,
        operation,
        tokenId: token?.id,
        hostId,
        method: ctx.method,
        route,
        status: ctx.res.statusCode,
        gone: !ctx.res.writableFinished,
        ignoredFields: ignoredFields?.filter(name => fieldName.test(name)),
        ms: Math.round(performance.now() - startedAt),
      };
      if (route?.startsWith('/health/')) log.debug(line, 'request finished');
      else log.info(line, 'request finished');
    });
    await next();
  };
}

/** The declared path, which the router has noted. */
function routeOf(ctx: Ctx): string | undefined {
  const route: unknown = ctx['_matchedRoute'];
  return typeof route === 'string' ? route : undefined;
}

/** Sets the request id for the response and the logs; callers may send one. */
function makeRequestId(now: () => number): ApiMiddleware {
  return (ctx, next) => {
    const header = ctx.get('x-request-id');
    ctx.state.requestId = validRequestId.test(header) ? header : randomUUID();
    ctx.state.arrivedAt = now();
    ctx.set('X-Request-Id', ctx.state.requestId);
    return next();
  };
}

/** HTTP Basic authentication for operators: any user name, and OPS_PASSWORD. */
function makeOpsGuard(password: string): ApiMiddleware {
  const checkSecret = makeSecretCheck();
  return async (ctx, next) => {
    const [, encoded] = /^Basic +(\S+)$/i.exec(ctx.get('authorization')) ?? [];
    const credentials = Buffer.from(encoded ?? '', 'base64').toString();
    // Browsers send the first request without a password; it must not count as a failed attempt.
    const isRight =
      encoded !== undefined &&
      (await checkSecret(ctx, credentials.slice(credentials.indexOf(':') + 1), password));
    if (!isRight) {
      ctx.set('WWW-Authenticate', 'Basic realm="Parley operations", charset="UTF-8"');
      throw new RefusalError(failure('unauthorized'));
    }
    return next();
  };
}
