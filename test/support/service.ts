import { Writable } from 'node:stream';
import { type Api, type ApiSettings, startApi } from '../../api/start.ts';
import { provideHostLogin } from '../../db/access/provide-host-login.ts';
import { connect, type Db } from '../../db/connection.ts';
import { findHostBySlug } from '../../db/hosts.ts';
import { makeToken } from '../../db/token-text.ts';
import { insertToken, type NewToken } from '../../db/tokens.ts';
import { makeLog } from '../../platform/log.ts';
import { type TokenScope, tokenScopes } from '../../queues/contract/operation.ts';
import type { PipelineLimits } from '../../workers/indexer/pipeline-limits.ts';
import { startIndexer } from '../../workers/indexer/start.ts';
import { startWorkers, type WorkerSettings, type Workers } from '../../workers/start.ts';
import { makeQueueStore, type QueueStore } from './queue-store.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  // Tests look into answers freely.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface CallOptions {
  readonly token?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
  readonly method?: string;
}

/** The whole service in this process, with the demonstration hosts and a scripted model. */
export interface Service {
  readonly baseURL: string;
  readonly db: Db;
  readonly model: ScriptedModel;
  readonly settings: ApiSettings & WorkerSettings;
  /** All log lines of api and workers. */
  readonly logged: string[];
  readonly demo: { readonly hostId: string; readonly token: string };
  readonly acme: { readonly hostId: string; readonly token: string };
  /** The text of a token of operators. */
  readonly operatorToken: string;
  /** A string or bytes are sent unchanged. Without `token`, that of the demo host is used. */
  call(path: string, body?: unknown, options?: CallOptions): Promise<ApiResponse>;
  makeToken(token: Partial<NewToken> & { hostIds: NewToken['hostIds'] }): Promise<string>;
  newConversation(): Promise<string>;
  /** One turn of the demo host; creates the conversation if none is given. */
  ask(question: string, more?: Record<string, unknown>, options?: CallOptions): Promise<ApiResponse>;
  close(): Promise<void>;
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

export async function startService({
  workers: hasWorkers = true,
  indexer: hasIndexer = false,
  pipelineLimits = { flushMs: 200 },
  store: givenStore,
  ...overrides
}: ServiceOptions = {}): Promise<Service> {
  const store = givenStore ?? (await makeQueueStore('seeded'));
  const model = await startScriptedModel();
  const logged: string[] = [];
  const sink = new Writable({ write: (chunk, _encoding, done) => done(void logged.push(String(chunk))) });
  const log = makeLog('test', 'info', sink);
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
  const baseURL = `http://127.0.0.1:${api.port}`;
  const tokenFor = async (token: Partial<NewToken> & { hostIds: NewToken['hostIds'] }) => {
    const { text, hash } = makeToken();
    await insertToken(db, {
      name: 'test',
      hash,
      scopes: [...tokenScopes] as TokenScope[],
      expiresAt: null,
      ...token,
    });
    return text;
  };
  const tenant = async (slug: string) => {
    const hostId = (await findHostBySlug(db, slug))?.id ?? '';
    return { hostId, token: await tokenFor({ hostIds: [hostId] }) };
  };
  const [demo, acme] = [await tenant('demo'), await tenant('acme')];
  const operatorToken = await tokenFor({ hostIds: 'all' });
  const call: Service['call'] = (path, body, options = {}) =>
    callOver(baseURL, path, body, { token: demo.token, ...options });
  const newConversation = async () => {
    const { body } = await call(`${PUBLIC}/createConversationId`, { hostId: demo.hostId, hostSlug: 'demo' });
    return body.data.conversationId as string;
  };
  return {
    baseURL,
    db,
    model,
    settings,
    logged,
    demo,
    acme,
    operatorToken,
    call,
    makeToken: tokenFor,
    newConversation,
    async ask(question, more = {}, options = {}) {
      const conversationId = more['conversationId'] ?? (await newConversation());
      return call(
        `${PUBLIC}/svcReasoning`,
        { hostId: demo.hostId, conversationId, question, ...more },
        options,
      );
    },
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

const defaults = {
  appEnv: 'development',
  enableTestEndpoint: false,
  port: 0,
  secretKey: 'the secret key of all these tests together',
  requestTimeoutMs: 10_000,
  rateLimitPerMinute: 0,
  corsOrigins: [],
  trustProxy: false,
  workerConcurrency: 32,
  // Insights also call the model, some time after the turn of a test.
  insightConcurrency: 0,
  workerQueues: [],
  openaiApiKey: 'test',
  openaiModel: 'scripted',
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
