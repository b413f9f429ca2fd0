import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { connect, type Db, isDatabaseTrouble } from '../db/connection.ts';
import { assertMigrated, ping, probeWrites } from '../db/ping.ts';
import { deleteMetrics, readFreshMetrics, storeMetrics } from '../db/process-metrics.ts';
import { findReplyOnceCommitted } from '../db/replies.ts';
import { hashOf } from '../db/token-text.ts';
import { findToken, type Token } from '../db/tokens.ts';
import { withHosts } from '../db/with-hosts.ts';
import { makeOutageLog, type OutageLog } from '../platform/outage-log.ts';
import { makeSeal } from '../platform/seal.ts';
import { CLOSE_STORES_WITHIN_MS, RESPONSES_END_LATER_MS } from '../platform/shutdown-limits.ts';
import { withinMs } from '../platform/within-ms.ts';
import { failure, type Outcome } from '../queues/contract/failure.ts';
import { queueNames } from '../queues/contract/operation.ts';
import { openBackend } from '../queues/transport/backend.ts';
import { type Dispatcher, makeDispatcher } from '../queues/transport/dispatcher.ts';
import { readProcesses } from '../queues/transport/process-info.ts';
import type { FindStoredReply } from '../queues/transport/stored-reply.ts';
import { makeApp } from './app.ts';
import type { FindToken } from './authenticate.ts';
import { cacheResultFor } from './cache-result.ts';
import { RefusalError } from './envelope.ts';
import { HealthCheckError } from './health.ts';
import { startHeartbeat } from './heartbeat.ts';
import { listen } from './listen.ts';
import { makeApiMetrics } from './metrics.ts';
import { checkProcesses, hasNoMatchingWorker } from './process-health.ts';
import { rateLimit } from './rate-limit.ts';
import type { TestRunSettings } from './test-run.ts';

export interface ApiSettings extends TestRunSettings {
  readonly port: number;
  /** Undefined: all addresses. */
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
  /** Accepts no new requests, finishes open ones within `graceMs` or refuses them, then closes all connections. */
  close(graceMs?: number): Promise<void>;
}

const PROCESSES_CACHED_MS = 1_000;
/** Identifies this process in the database. */
const processName = `web-${hostname()}-${process.pid}`;

/** Resolved by package import, because this file also runs from `dist`. */
const { version } = createRequire(import.meta.url)('#package.json') as { version: string };

export async function startApi(settings: ApiSettings, log: Logger): Promise<Api> {
  const { databaseUrl, redisUrl, requestTimeoutMs } = settings;
  const db = connect(databaseUrl, { max: 10, applicationName: 'parley-api', answerWithinMs: 2_000 });
  await ping(db);
  await assertMigrated(db);
  const { store, database } = makeOutageLogs(log);
  const listeners = { onError: store.noteFailure, onSuccess: store.noteSuccess };
  const backend = await openBackend({ redisUrl, databaseUrl, ...listeners });
  const seal = makeSeal(settings.secretKey);
  const dispatcher = await makeDispatcher(backend, seal, queueNames, makeStoredReplyFinder(db));
  const health = watchHealth(db, dispatcher, { key: seal.fingerprint, database });
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
      key: seal.fingerprint,
      isDatabaseReady: health.isDatabaseReady,
      readOtherMetrics: () => readFreshMetrics(db),
    }),
    timeoutMs: requestTimeoutMs,
    rateLimit: rateLimit(settings.rateLimitPerMinute),
    now: backend.now,
    findToken: makeTokenFinder(db, database),
    checks: health.checks,
    processes: health.processes,
  });
  const handle = app.callback();
  const server = await listen((request, response) => void handle(request, response), settings);
  log.info({ event: 'api.started', port: server.port, queue: backend.kind }, 'api started');
  return {
    port: server.port,
    async close(graceMs = 0) {
      await server.close(graceMs + RESPONSES_END_LATER_MS, () => dispatcher.stopWaiting());
      health.stop();
      await closeWithinLimit(deleteMetrics(db, processName));
      await closeWithinLimit(dispatcher.close().then(() => backend.close()));
      await closeWithinLimit(db.destroy());
    },
  };
}

/** The checks of `/health/ready` and `/health/workers`. */
function watchHealth(
  db: Db,
  dispatcher: Dispatcher,
  { key, database }: { readonly key: string; readonly database: OutageLog },
) {
  const write = async () => {
    await storeMetrics(db, processName, []);
    await probeWrites(db);
  };
  const stopping = new AbortController();
  const heartbeat = startHeartbeat({ write, signal: stopping.signal, ...database });
  const running = cacheResultFor(PROCESSES_CACHED_MS, async () => readProcesses(await readFreshMetrics(db)));
  return {
    checks: {
      database: heartbeat.check,
      migrations: () => assertMigrated(db),
      queue: async () => {
        if (!dispatcher.isReady())
          throw new HealthCheckError(
            'the queue store does not accept jobs: for cause and remedy, see queue_store.lost in the log',
          );
        if (hasNoMatchingWorker(await running().catch(() => []), key))
          throw new HealthCheckError('no worker has the SECRET_KEY of this process');
      },
    },
    processes: async () => checkProcesses(await running(), queueNames, key),
    isDatabaseReady: heartbeat.isBeating,
    stop: () => stopping.abort(),
  };
}

function makeOutageLogs(log: Logger) {
  return {
    store: makeOutageLog(log, { event: 'queue_store', name: 'the queue store' }),
    database: makeOutageLog(log, { event: 'database', name: 'the database', quietMs: 4_000 }),
  };
}

function makeStoredReplyFinder(db: Db): FindStoredReply {
  return async (jobId, hostIds, withinMs) => {
    const reply = await withHosts(db, hostIds, scope => findReplyOnceCommitted(scope, jobId, withinMs));
    return reply && { outcome: reply.outcome as Outcome<unknown>, bodyMac: reply.bodyMac ?? undefined };
  };
}

/** Gives up after the limit: the end of the process closes the rest. */
async function closeWithinLimit(work: Promise<unknown>): Promise<void> {
  await withinMs(work, CLOSE_STORES_WITHIN_MS).catch(() => undefined);
}

/** Concurrent requests with the same token share one database query. */
function makeTokenFinder(db: Db, outage: OutageLog): FindToken {
  const lookups = new Map<string, Promise<Token | undefined>>();
  return async text => {
    const hash = hashOf(text);
    if (!hash) return undefined;
    const lookup = lookups.get(text) ?? findToken(db, hash).finally(() => lookups.delete(text));
    lookups.set(text, lookup);
    return lookup.catch(error => {
      if (!isDatabaseTrouble(error)) throw error;
      outage.noteFailure(error);
      throw new RefusalError(failure('unavailable'));
    });
  };
}
