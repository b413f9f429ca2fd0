import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { connect, type Db, isDatabaseTrouble } from '../db/connection.ts';
import { assertMigrated, ping } from '../db/ping.ts';
import { deleteMetrics, freshMetrics, storeMetrics } from '../db/process-metrics.ts';
import { findReply } from '../db/replies.ts';
import { hashOf } from '../db/token-text.ts';
import { findToken, type Token } from '../db/tokens.ts';
import { withHosts } from '../db/with-hosts.ts';
import { makeOutageLog, type OutageLog } from '../platform/outage-log.ts';
import { makeSeal } from '../platform/seal.ts';
import { ANSWERS_END_LATER_MS, LET_GO_WITHIN_MS } from '../platform/shutdown-limits.ts';
import { withinMs } from '../platform/within-ms.ts';
import { failure, type Outcome } from '../queues/contract/failure.ts';
import { queueNames } from '../queues/contract/operation.ts';
import { openBackend } from '../queues/transport/backend.ts';
import { type Dispatcher, type FindKeptReply, makeDispatcher } from '../queues/transport/dispatcher.ts';
import { processesIn } from '../queues/transport/process-info.ts';
import { makeApp } from './app.ts';
import type { FindToken } from './authenticate.ts';
import { Refused } from './envelope.ts';
import { NotWell } from './health.ts';
import { keepHeartbeat } from './heartbeat.ts';
import { listen } from './listen.ts';
import { makeApiMetrics } from './metrics.ts';
import { isAmongStrangers, seeProcesses } from './processes.ts';
import { rateLimit } from './rate-limit.ts';
import { sharedFor } from './shared-for.ts';
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
  /** Takes no new requests, answers those under way within `graceMs` or refuses them, then lets go of everything. */
  close(graceMs?: number): Promise<void>;
}

const PROCESSES_SEEN_MS = 1_000;
/** Among those that leave something in the database. */
const processName = `web-${hostname()}-${process.pid}`;

/** Found by the package's own name for it: this file runs from `dist` too. */
const { version } = createRequire(import.meta.url)('#package.json') as { version: string };

export async function startApi(settings: ApiSettings, log: Logger): Promise<Api> {
  const { databaseUrl, redisUrl, requestTimeoutMs } = settings;
  const db = connect(databaseUrl, { max: 10, applicationName: 'parley-api', answerWithinMs: 2_000 });
  await ping(db);
  await assertMigrated(db);
  const { store, database } = makeOutageLogs(log);
  const heard = { onError: store.failed, onWell: store.worked };
  const backend = await openBackend({ redisUrl, databaseUrl, ...heard });
  const seal = makeSeal(settings.secretKey);
  const dispatcher = await makeDispatcher(backend, seal, queueNames, keptReplyFinder(db));
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
      countedElsewhere: () => freshMetrics(db),
    }),
    timeoutMs: requestTimeoutMs,
    rateLimit: rateLimit(settings.rateLimitPerMinute),
    now: backend.now,
    findToken: tokenFinder(db, database),
    checks: health.checks,
    processes: health.processes,
  });
  const handle = app.callback();
  const server = await listen((request, response) => void handle(request, response), settings);
  log.info({ port: server.port, queue: backend.kind }, 'api is listening');
  return {
    port: server.port,
    async close(graceMs = 0) {
      await server.close(graceMs + ANSWERS_END_LATER_MS, () => dispatcher.stopWaiting());
      health.stop();
      await withinLimit(deleteMetrics(db, processName));
      await withinLimit(dispatcher.close().then(() => backend.close()));
      await withinLimit(db.destroy());
    },
  };
}

/** What the health of this process consists of. */
function watchHealth(
  db: Db,
  dispatcher: Dispatcher,
  { key, database }: { readonly key: string; readonly database: OutageLog },
) {
  const heartbeat = keepHeartbeat({ write: () => storeMetrics(db, processName, []), ...database });
  const running = sharedFor(PROCESSES_SEEN_MS, async () => processesIn(await freshMetrics(db)));
  return {
    checks: {
      database: heartbeat.check,
      migrations: () => assertMigrated(db),
      queue: async () => {
        if (!dispatcher.isReady()) throw new NotWell('the queue store takes no jobs');
        if (isAmongStrangers(await running().catch(() => []), key))
          throw new NotWell('no worker has the SECRET_KEY of this process');
      },
    },
    processes: async () => seeProcesses(await running(), queueNames, key),
    stop: heartbeat.stop,
  };
}

function makeOutageLogs(log: Logger) {
  return {
    store: makeOutageLog(log, { event: 'queue_store', name: 'the queue store' }),
    database: makeOutageLog(log, { event: 'database', name: 'the database', quietMs: 4_000 }),
  };
}

function keptReplyFinder(db: Db): FindKeptReply {
  return async (jobId, hostIds) => {
    const reply = await withHosts(db, hostIds, scope => findReply(scope, jobId));
    return reply && { outcome: reply.outcome as Outcome<unknown>, bodyMac: reply.bodyHash ?? undefined };
  };
}

/** What cannot be let go of in time ends with the process. */
async function withinLimit(work: Promise<unknown>): Promise<void> {
  await withinMs(work, LET_GO_WITHIN_MS).catch(() => undefined);
}

/** Requests that come at the same moment with one token share one look into the database. */
function tokenFinder(db: Db, outage: OutageLog): FindToken {
  const looking = new Map<string, Promise<Token | undefined>>();
  return async text => {
    const hash = hashOf(text);
    if (!hash) return undefined;
    const found = looking.get(text) ?? findToken(db, hash).finally(() => looking.delete(text));
    looking.set(text, found);
    return found.catch(error => {
      if (!isDatabaseTrouble(error)) throw error;
      outage.failed(error);
      throw new Refused(failure('unavailable'));
    });
  };
}
