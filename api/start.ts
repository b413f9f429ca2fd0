import { createRequire } from 'node:module';
import type { Logger } from 'pino';
import { connect, type Db, isDatabaseTrouble } from '../db/connection.ts';
import { demandMigrated, ping } from '../db/ping.ts';
import { freshMetrics } from '../db/process-metrics.ts';
import { hashOf } from '../db/token-text.ts';
import { findToken, type Token } from '../db/tokens.ts';
import { openBackend } from '../queues/backend.ts';
import { makeDispatcher } from '../queues/dispatcher.ts';
import { failure } from '../queues/failure.ts';
import { queueNames } from '../queues/operation.ts';
import { makeSeal } from '../queues/seal.ts';
import { makeApp } from './app.ts';
import type { FindToken } from './authenticate.ts';
import { Refused } from './envelope.ts';
import { listen } from './listen.ts';
import { makeApiMetrics } from './metrics.ts';
import { rateLimit } from './rate-limit.ts';
import type { TestRunSettings } from './test-run.ts';

export interface ApiSettings extends TestRunSettings {
  readonly port: number;
  /** Undefined: on all addresses. */
  readonly host?: string | undefined;
  readonly databaseUrl: string;
  readonly redisUrl?: string | undefined;
  readonly secretKey: string;
  readonly requestTimeoutMs: number;
  readonly rateLimitPerMinute: number;
  readonly corsOrigins: readonly string[];
  readonly trustProxy: boolean;
  readonly opsPassword?: string | undefined;
  readonly queueBoardWritable?: boolean;
}

export interface Api {
  readonly port: number;
  /** Takes no new requests, answers those under way, then lets go of everything. */
  close(): Promise<void>;
}

/** Found by the package's own name for it: this file runs from `dist` too. */
const { version } = createRequire(import.meta.url)('#package.json') as { version: string };

export async function startApi(settings: ApiSettings, log: Logger): Promise<Api> {
  const { databaseUrl, redisUrl, requestTimeoutMs } = settings;
  const db = connect(databaseUrl, { max: 10, applicationName: 'parley-api', answerWithinMs: 2_000 });
  await ping(db);
  await demandMigrated(db);
  const onError = (error: Error) => log.warn({ err: error }, 'the queue store cannot be reached');
  const backend = await openBackend({ redisUrl, databaseUrl, onError });
  const dispatcher = await makeDispatcher(backend, makeSeal(settings.secretKey), queueNames);
  const app = makeApp({
    corsOrigins: settings.corsOrigins,
    trustProxy: settings.trustProxy,
    opsPassword: settings.opsPassword,
    queueBoardWritable: settings.queueBoardWritable ?? false,
    tests: settings,
    log,
    version,
    dispatcher,
    metrics: makeApiMetrics({
      dispatcher,
      timeoutMs: requestTimeoutMs,
      countedElsewhere: () => freshMetrics(db),
    }),
    timeoutMs: requestTimeoutMs,
    rateLimit: rateLimit(settings.rateLimitPerMinute),
    now: backend.now,
    findToken: tokenFinder(db, log),
    checks: {
      database: () => ping(db),
      migrations: () => demandMigrated(db),
      queue: () => dispatcher.ready(),
    },
  });
  const handle = app.callback();
  const server = await listen((request, response) => void handle(request, response), settings);
  log.info({ port: server.port, queue: backend.kind }, 'api is listening');
  return {
    port: server.port,
    async close() {
      await server.close();
      await dispatcher.close();
      await backend.close();
      await db.destroy();
    },
  };
}

/** Requests that come at the same moment with one token share one look into the database. */
function tokenFinder(db: Db, log: Logger): FindToken {
  const looking = new Map<string, Promise<Token | undefined>>();
  return async text => {
    const hash = hashOf(text);
    if (!hash) return undefined;
    const found = looking.get(text) ?? findToken(db, hash).finally(() => looking.delete(text));
    looking.set(text, found);
    return found.catch(error => {
      if (!isDatabaseTrouble(error)) throw error;
      log.warn({ err: error }, 'the database cannot be reached');
      throw new Refused(failure('unavailable'));
    });
  };
}
