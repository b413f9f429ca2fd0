import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { type Api, type ApiSettings, startApi } from '../../api/start.ts';
import { provideHostLogin } from '../../db/access/provide-host-login.ts';
import { connect, type Db } from '../../db/connection.ts';
import { findHostBySlug } from '../../db/hosts/hosts.ts';
import { makeToken } from '../../db/hosts/token-text.ts';
import { insertToken, type NewToken } from '../../db/hosts/tokens.ts';
import { seedEmptyHost, seedUniversity } from '../../db/seed.ts';
import { makeLog } from '../../platform/log.ts';
import { tokenScopes } from '../../queues/contract/operation.ts';
import type { PipelineLimits } from '../../workers/indexer/pipeline-limits.ts';
import { startIndexer } from '../../workers/indexer/start.ts';
import { startWorkers, type WorkerSettings, type Workers } from '../../workers/start.ts';
import { eventually } from './eventually.ts';
import { openOnce } from './opened.ts';
import type { ApiResponse, CallOptions } from './operation-calls.ts';
import { argsOf } from './program.ts';
import { countOpenJobs, makeQueueStore, type QueueStore } from './queue-store.ts';
import { atRunEnd } from './run-end.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts';
import { type ServedHost, serveHost } from './served-host.ts';

export type { ApiResponse, CallOptions };

/** The whole service in this process, with a scripted model and two hosts: a university, and one without knowledge. */
export interface Service {
  readonly baseURL: string;
  readonly db: Db;
  readonly model: ScriptedModel;
  readonly settings: ApiSettings & WorkerSettings;
  /** All log lines of api and workers. */
  readonly logged: string[];
  readonly demo: ServedHost;
  readonly acme: ServedHost;
  readonly operatorToken: string;
  /** A string or bytes are sent unchanged. Without `token`, the demo host’s is used. */
  call(path: string, body?: unknown, options?: CallOptions): Promise<ApiResponse>;
  makeToken(token: Partial<NewToken> & { hostIds: NewToken['hostIds'] }): Promise<string>;
  /** Another host: an avatar without knowledge, or what this function makes. */
  addHost(seedHost?: typeof seedEmptyHost): Promise<ServedHost>;
  /** Those of the demo host. */
  readonly newConversation: ServedHost['newConversation'];
  readonly ask: ServedHost['ask'];
  close(): Promise<void>;
}

/** The service of this process for the tests of a suite: `borrowService`. */
export function openService(apiSettings?: Partial<ApiSettings>): Service {
  return openOnce(() => borrowService(apiSettings));
}

/** A service of its own for the tests of a suite: `startService`. */
export function openOwnService(options?: ServiceOptions | (() => ServiceOptions)): Service {
  return openOnce(() => startService(typeof options === 'function' ? options() : options));
}

export const PUBLIC = '/api/externalAPIs/public';

export interface ServiceOptions extends Partial<ApiSettings & WorkerSettings> {
  /** False: no workers run in this process. */
  readonly workers?: boolean;
  /** True: records are indexed, too. Default: no, because an indexer that nobody waits for slows down all other tests. */
  readonly indexer?: boolean;
  readonly pipelineLimits?: Partial<PipelineLimits>;
  /** The store to use; dropped with the service. */
  readonly store?: QueueStore;
}

/** A service of its own, for tests of settings of the workers and faults; the others use `borrowService`. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { close, ...parts } = await startParts(options);
  const [demo, acme] = [await findHost(parts.db, 'demo'), await findHost(parts.db, 'acme')];
  return serviceOf(parts, demo, acme, close);
}

let sharedStore: Promise<QueueStore> | undefined;
let shared: Promise<ServiceParts> | undefined;
let lent = 0;

/**
 * The service of this process, which its test files use one after another, with default settings. Each gets two new hosts, a
 * model that says its usual sentence and an empty log. `close` waits until no job is left, and deletes the hosts with all their rows.
 * Where a test needs settings of the api, it has an api with them beside the workers of all: that opens a quarter of the connections.
 */
export async function borrowService(apiSettings?: Partial<ApiSettings>): Promise<Service> {
  const service = await borrow();
  if (!apiSettings) return service;
  const beside = await startApiBeside(service, apiSettings).catch(async error => {
    await service.close();
    throw error;
  });
  const close = async () => {
    await beside.close();
    await service.close();
  };
  return { ...beside, close };
}

/** The same service through another api, which alone is closed by its `close`. */
export async function startApiBeside(service: Service, apiSettings: Partial<ApiSettings>): Promise<Service> {
  const settings = { ...service.settings, ...apiSettings };
  const api = await startApi(settings, logTo(service.logged));
  return serviceAt({ ...service, settings }, baseURLOf(api), () => api.close());
}

/** The same service through the api at this address. */
export function serviceAt(service: Service, baseURL: string, close = async () => {}): Promise<Service> {
  return serviceOf({ ...service, baseURL }, service.demo, service.acme, close);
}

async function borrow(): Promise<Service> {
  sharedStore ??= makeQueueStore('migrated', { isShared: true });
  const store = await sharedStore;
  shared ??= startParts({ store, opsPassword });
  const { close: _, ...parts } = await shared;
  const { db, model, logged } = parts;
  lent += 1;
  const name = `${process.pid}-${lent}`;
  const [demo, acme] = [await addHost(db, `demo-${name}`, seedUniversity), await addHost(db, `acme-${name}`)];
  model.reset();
  logged.length = 0;
  return serviceOf(parts, demo, acme, async () => {
    model.reset();
    try {
      await eventually(() => countOpenJobs(store, db), 0);
    } finally {
      const deleteAll = (table: string) =>
        db(table)
          .delete()
          .then(() => true)
          .catch((error: Error & { code?: string }) => {
            // A deadlock is one with what a worker does in the background for these hosts.
            if (error.code !== DEADLOCK) throw error;
            return false;
          });
      for (const table of ['hosts', 'tokens', 'search_outbox'])
        await eventually(() => deleteAll(table), Boolean);
    }
  });
}

// A process of `--parallel` has a channel to its parent, and its service ends with it.
atRunEnd(async () => {
  if (process.connected) return;
  const parts = await shared;
  shared = undefined;
  await parts?.close();
});

const DEADLOCK = '40P01';
const opsPassword = 'the password of the operators in all these tests';

type ServiceParts = Pick<Service, 'baseURL' | 'db' | 'model' | 'settings' | 'logged' | 'close'>;

async function startParts({
  workers: hasWorkers = true,
  indexer: hasIndexer = false,
  pipelineLimits = { flushMs: 200 },
  store: givenStore,
  ...overrides
}: ServiceOptions): Promise<ServiceParts> {
  const store = givenStore ?? (await makeQueueStore('seeded'));
  const model = await startScriptedModel();
  const logged: string[] = [];
  const log = logTo(logged);
  const settings = { ...defaults, ...store, openaiBaseUrl: model.baseURL, ...overrides };
  // Tests insert thousands of rows in a statement: on a busy machine that takes longer than the service may.
  const db = connect(store.databaseUrl, {
    max: 2,
    applicationName: 'parley-test-service',
    statementTimeoutMs: 60_000,
    answerWithinMs: 60_000,
    acquireWithinMs: 60_000,
    connectWithinMs: 60_000,
  });
  await provideHostLogin(db, settings.secretKey);
  const api: Api = await startApi(settings, log);
  const workers: Workers | undefined = hasWorkers ? await startWorkers(settings, log) : undefined;
  const { databaseUrl } = settings;
  const indexer = hasIndexer
    ? await startIndexer({ databaseUrl, appEnv: 'production', pipelineLimits }, log)
    : undefined;
  return {
    baseURL: baseURLOf(api),
    db,
    model,
    settings,
    logged,
    async close() {
      await api.close();
      await workers?.close();
      await indexer?.close();
      await model.close();
      await db.destroy();
      await store.drop();
    },
  };
}

function logTo(lines: string[]) {
  const sink = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
  return makeLog('test', 'info', sink);
}

function baseURLOf({ port }: Api): string {
  return `http://127.0.0.1:${port}`;
}

async function serviceOf(
  parts: Omit<ServiceParts, 'close'>,
  demo: KnownHost,
  acme: KnownHost,
  close: () => Promise<void>,
): Promise<Service> {
  const { baseURL, db } = parts;
  const call: Service['call'] = (path, body, options = {}) =>
    callOver(baseURL, path, body, { token: demo.token, ...options });
  const calls = { db, operatorToken: await addToken(db, { hostIds: 'all' }), call };
  const ofDemo = serveHost(calls, demo);
  return {
    ...parts,
    ...calls,
    demo: ofDemo,
    acme: serveHost(calls, acme),
    makeToken: token => addToken(db, token),
    addHost: async seedHost => serveHost(calls, await addHost(db, `host-${randomUUID()}`, seedHost)),
    newConversation: ofDemo.newConversation,
    ask: ofDemo.ask,
    close,
  };
}

type KnownHost = Parameters<typeof serveHost>[1];

async function addHost(db: Db, slug: string, seedHost = seedEmptyHost): Promise<KnownHost> {
  await db.transaction(tx => seedHost(tx, slug));
  return findHost(db, slug);
}

async function findHost(db: Db, slug: string): Promise<KnownHost> {
  const hostId = (await findHostBySlug(db, slug))?.id ?? '';
  const first = (table: string, order: string) =>
    db(table).where({ host_id: hostId }).orderBy(order).first('id');
  const [avatar, dataset] = [await first('avatars', 'created_at'), await first('datasets', 'created_at')];
  const token = await addToken(db, { hostIds: [hostId] });
  return { hostId, slug, token, avatarId: avatar?.id ?? '', datasetId: dataset?.id ?? '' };
}

async function addToken(db: Db, token: Partial<NewToken> & Pick<NewToken, 'hostIds'>): Promise<string> {
  const { text, hash } = makeToken();
  await insertToken(db, { name: 'test', hash, scopes: [...tokenScopes], expiresAt: null, ...token });
  return text;
}

const defaults = {
  appEnv: 'development',
  enableTestEndpoint: false,
  port: 0,
  secretKey: 'the secret key of all these tests together',
  // That of the settings: a shorter one would be a wall-clock limit for every test.
  requestTimeoutMs: 60_000,
  rateLimitPerMinute: 0,
  corsOrigins: [],
  trustProxy: false,
  sessionDays: 30,
  workerConcurrency: 32,
  // Insights also call the model, some time after the turn of a test.
  insightConcurrency: 0,
  insightAfterSeconds: 30,
  workerQueues: [],
  openaiApiKey: 'test',
  openaiModel: 'scripted',
  // The built one starts in a third of the time.
  parserProgram: argsOf('workers/knowledge/parser/main.ts'),
};

async function callOver(
  baseURL: string,
  path: string,
  body: unknown,
  options: CallOptions,
): Promise<ApiResponse> {
  const { token, headers = {}, signal, method = body === undefined ? 'GET' : 'POST' } = options;
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(`${baseURL}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}
