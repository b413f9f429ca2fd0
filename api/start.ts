import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { connect, type Db } from '../db/connection.ts';
import { checkAtStart } from '../db/database-checks.ts';
import {
  endSession,
  exchangeSignInLink,
  findSession,
  findSignInLink,
  linkPeopleOf,
  openTokenSession,
} from '../db/hosts/sessions.ts';
import { hashOf, makeToken, sessionOf } from '../db/hosts/token-text.ts';
import { findToken, type Token } from '../db/hosts/tokens.ts';
import { findSigningSource, type SigningSource } from '../db/intake/crm-sources.ts';
import { deleteMetrics, readFreshMetrics } from '../db/process-metrics.ts';
import { findReplyOfJobOnceCommitted } from '../db/replies.ts';
import { withHosts } from '../db/with-hosts.ts';
import { makeFileSeal } from '../platform/file-seal.ts';
import { withinMs } from '../platform/link-signals.ts';
import { makeObjectStore, type ObjectStoreSettings } from '../platform/object-store.ts';
import {
  makeDatabaseOutageLog,
  makeFileStoreOutageLog,
  makeQueueStoreOutageLog,
  type OutageLog,
} from '../platform/outage-log.ts';
import { makeSeal, type Seal, type SecretKeys } from '../platform/seal.ts';
import { CLOSE_STORES_WITHIN_MS, RESPONSES_END_LATER_MS } from '../platform/shutdown-limits.ts';
import { type KeepOpened, startWithAttempts } from '../platform/start-attempts.ts';
import type { Outcome } from '../queues/contract/failure.ts';
import { queueNames } from '../queues/contract/queues.ts';
import { openBackend } from '../queues/transport/backend.ts';
import { makeDispatcher } from '../queues/transport/dispatcher.ts';
import type { StoredReplyFinder } from '../queues/transport/stored-reply.ts';
import { makeApp } from './app.ts';
import { makeNotices } from './console/notices.ts';
import type { SessionStore } from './console/sessions.ts';
import { makeFileReader } from './documents/read-file.ts';
import {
  type FilePlaces,
  makeAttachmentStore,
  makeFileStore,
  makeUploadStore,
} from './documents/store-uploads.ts';
import type { TokenFinder } from './guards/authenticate.ts';
import { makeHeldBytes } from './guards/held-bytes.ts';
import { makeRateLimit } from './guards/rate-limit.ts';
import { makeApiMetrics } from './health/metrics.ts';
import type { TestRunSettings } from './health/test-run.ts';
import { watchHealth } from './health/watch-health.ts';
import { listen } from './listen.ts';
import { makeChatFollower } from './openai/chat-history.ts';
import { makeCallbackFinder } from './replies/callback.ts';
import { makeRefuseOutage } from './replies/refuse-outage.ts';
import type { SourceFinder } from './request.ts';
import { makeSignatureCheck } from './signed-intake/signature-check.ts';
import { makeSiteChats } from './site-chat/site-chats.ts';

export interface ApiSettings extends TestRunSettings, SecretKeys, ObjectStoreSettings {
  readonly port: number;
  /** Undefined: all addresses. */
  readonly host?: string | undefined;
  readonly databaseUrl: string;
  readonly redisUrl?: string | undefined;
  readonly requestTimeoutMs: number;
  readonly rateLimitPerMinute: number;
  readonly corsOrigins: readonly string[];
  readonly trustProxy: boolean;
  /** The public address of the service, for links. */
  readonly publicUrl?: string | undefined;
  /** A session of the console is over this many days after its last use. */
  readonly sessionDays: number;
  /** The provider of accounts by which people may also sign in; all three settings, or none. */
  readonly oidcIssuer?: string | undefined;
  readonly oidcClientId?: string | undefined;
  readonly oidcClientSecret?: string | undefined;
  readonly opsPassword?: string | undefined;
  readonly queueBoardWritable?: boolean;
}

export interface Api {
  readonly port: number;
  /** Accepts no new requests, finishes open ones within `graceMs` or refuses them, then closes all connections. */
  close(graceMs?: number): Promise<void>;
}

/** A process that ends takes requests this much longer: load balancers that look each second then send none to it. */
const DRAIN_MS = 2_000;

/** Identifies this process in the database. */
const processName = `web-${hostname()}-${process.pid}`;

/** Resolved by package import, because this file also runs from `dist`. */
const { version } = createRequire(import.meta.url)('#package.json') as { version: string };

export function startApi(settings: ApiSettings, log: Logger): Promise<Api> {
  return startWithAttempts(log, keep => startOnce(settings, log, keep));
}

async function startOnce(settings: ApiSettings, log: Logger, keep: KeepOpened): Promise<Api> {
  const { databaseUrl, redisUrl, requestTimeoutMs: timeoutMs, sessionDays } = settings;
  const { db, uploads } = await connectAll(databaseUrl, keep);
  const [store, database] = [makeQueueStoreOutageLog(log), makeDatabaseOutageLog(log)];
  const listeners = { onError: store.noteFailure, onSuccess: store.noteSuccess };
  const backend = keep(await openBackend({ redisUrl, databaseUrl, ...listeners }));
  const seal = makeSeal(settings);
  const { fingerprints: keys } = seal;
  const dispatcher = keep(await makeDispatcher(backend, seal, queueNames, makeStoredReplyFinder(db)));
  const health = watchHealth(db, dispatcher, { processName, keys, database, timeoutMs });
  const notices = keep(makeNotices({ db, databaseUrl, outage: database }));
  const metrics = makeApiMetrics({
    dispatcher,
    timeoutMs,
    keys,
    isDatabaseReady: health.isDatabaseReady,
    readOtherMetrics: () => readFreshMetrics(db),
  });
  const app = makeApp({
    ...webSettingsOf(settings),
    tests: settings,
    log,
    version,
    dispatcher,
    metrics,
    signatures: {
      ...(await makeSignatureCheck(makeSeal(settings, 'source secret'))),
      findSource: makeSourceFinder(db, database),
      onRefused: metrics.onSignatureRefused,
    },
    timeoutMs,
    heldBytes: makeHeldBytes(),
    rateLimit: makeRateLimit(settings.rateLimitPerMinute),
    now: backend.now,
    ...makeStores({ db, uploads, sessionDays }, seal, makePlaces(settings, log), database),
    sessions: makeSessionStore(db, database, sessionDays),
    siteChats: makeSiteChats(db, makeSeal(settings, 'visitor'), database),
    notices,
    health,
  });
  const handle = app.callback();
  const server = await listen((...exchange) => void handle(...exchange), settings);
  log.info({ event: 'api.started', port: server.port, queueStore: backend.kind }, 'api started');
  if (!settings.opsPassword)
    log.info({ event: 'api.ops_disabled' }, 'metrics and the queue board are off: set OPS_PASSWORD');
  const close = async (graceMs = 0) => {
    health.drain();
    const drainMs = Math.min(DRAIN_MS, graceMs / 2);
    await delay(drainMs);
    await notices.close();
    await server.close(graceMs + RESPONSES_END_LATER_MS - drainMs, () => dispatcher.stopWaiting());
    health.stop();
    await closeWithinLimit(deleteMetrics(db, processName));
    await closeWithinLimit(dispatcher.close().then(() => backend.close()));
    await closeWithinLimit(Promise.all([db.destroy(), uploads.destroy()]));
  };
  return { port: server.port, close };
}

function webSettingsOf(settings: ApiSettings) {
  const { corsOrigins, trustProxy, publicUrl, opsPassword, queueBoardWritable = false } = settings;
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = settings;
  const oidc = issuer && clientId && clientSecret ? { issuer, clientId, clientSecret } : undefined;
  return { corsOrigins, trustProxy, publicUrl, oidc, opsPassword, queueBoardWritable };
}

/** Documents have a pool of their own: they take longer than other statements, and wait for each other. */
async function connectAll(databaseUrl: string, keep: KeepOpened): Promise<{ db: Db; uploads: Db }> {
  const pools = {
    db: connect(databaseUrl, { max: 10, applicationName: 'parley-api', answerWithinMs: 2_000 }),
    uploads: connect(databaseUrl, { max: 2, applicationName: 'parley-uploads', acquireWithinMs: 30_000 }),
  };
  keep({ close: () => Promise.all([pools.db.destroy(), pools.uploads.destroy()]) });
  await checkAtStart(pools.db);
  return pools;
}

/** Gives up after the limit: the end of the process closes the rest. */
async function closeWithinLimit(work: Promise<unknown>): Promise<void> {
  await withinMs(work, CLOSE_STORES_WITHIN_MS).catch(() => undefined);
}

function makePlaces(settings: ApiSettings, log: Logger): FilePlaces {
  const objects = makeObjectStore(settings, makeFileStoreOutageLog(log));
  return { files: makeFileSeal(settings), objects };
}

function makeStores(
  { db, uploads, sessionDays }: { db: Db; uploads: Db; sessionDays: number },
  seal: Seal,
  places: FilePlaces,
  database: OutageLog,
) {
  return {
    findToken: makeTokenFinder(db, database, sessionDays),
    findCallback: makeCallbackFinder(db, database),
    storeUpload: makeUploadStore(uploads, seal, database),
    storeAttachments: makeAttachmentStore(uploads, seal, database),
    storeFiles: makeFileStore(uploads, seal, places, database),
    readFile: makeFileReader(db, places, database),
    signFile: places.files.sign,
    followChat: makeChatFollower(db, database),
  };
}

/** Finds the reply that a worker has committed. */
function makeStoredReplyFinder(db: Db): StoredReplyFinder {
  return async (jobId, hostIds, withinMs) => {
    const reply = await withHosts(db, hostIds, scope => findReplyOfJobOnceCommitted(scope, jobId, withinMs));
    return reply && { outcome: reply.outcome as Outcome<unknown>, bodyMac: reply.bodyMac ?? undefined };
  };
}

/** A text without a valid checksum is refused without a query. */
function makeSessionStore(db: Db, outage: OutageLog, days: number): SessionStore {
  const refuseOutage = makeRefuseOutage(outage);
  return {
    async open(text, key) {
      const hash = hashOf(text);
      if (!hash) return undefined;
      const isLink = text.startsWith('lnk_');
      const session = isLink && key !== undefined ? sessionOf(text, key) : makeToken('ses');
      const open = isLink ? exchangeSignInLink : openTokenSession;
      const isOpened = await open(db, hash, { hash: session.hash, days }).catch(refuseOutage);
      return isOpened ? session.text : undefined;
    },
    async find(link) {
      const hash = hashOf(link);
      return hash && findSignInLink(db, hash).catch(refuseOutage);
    },
    makeLinks: email => linkPeopleOf(db, email, () => makeToken('lnk')).catch(refuseOutage),
    async end(text) {
      const hash = hashOf(text);
      if (hash) await endSession(db, hash).catch(refuseOutage);
    },
  };
}

/** Finds tokens and sessions of the console. Concurrent requests with the same secret share one query. */
function makeTokenFinder(db: Db, outage: OutageLog, days: number): TokenFinder {
  const lookups = new Map<string, Promise<Token | undefined>>();
  const refuseOutage = makeRefuseOutage(outage);
  return async text => {
    const hash = hashOf(text);
    if (!hash) return undefined;
    const find = () => (text.startsWith('ses_') ? findSession(db, { hash, days }) : findToken(db, hash));
    const found = lookups.get(text) ?? find().finally(() => lookups.delete(text));
    lookups.set(text, found);
    return found.catch(refuseOutage);
  };
}

/**
 * Concurrent requests for one address share a query, known or not. Nothing is kept longer: that would reveal known addresses, and
 * accept a deleted source.
 */
function makeSourceFinder(db: Db, outage: OutageLog): SourceFinder {
  const lookups = new Map<string, Promise<SigningSource | undefined>>();
  const refuseOutage = makeRefuseOutage(outage);
  return address => {
    const found =
      lookups.get(address) ?? findSigningSource(db, address).finally(() => lookups.delete(address));
    lookups.set(address, found);
    return found.catch(refuseOutage);
  };
}
