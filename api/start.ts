import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { connect } from '../db/connection.ts';
import { ping } from '../db/ping.ts';
import { findToken } from '../db/tokens.ts';
import { hashOf } from '../db/token-text.ts';
import { openBackend } from '../queues/backend.ts';
import { makeDispatcher } from '../queues/dispatcher.ts';
import { queueNames } from '../queues/operation.ts';
import { makeSeal } from '../queues/seal.ts';
import { makeApp } from './app.ts';
import { rateLimit } from './rate-limit.ts';

export interface ApiSettings {
  readonly port: number;
  readonly databaseUrl: string;
  readonly redisUrl?: string | undefined;
  readonly secretKey: string;
  readonly requestTimeoutMs: number;
  readonly rateLimitPerMinute: number;
  readonly corsOrigins: readonly string[];
  readonly trustProxy: boolean;
}

export interface Api {
  readonly port: number;
  /** Takes no new requests, answers those under way, then lets go of everything. */
  close(): Promise<void>;
}

const IDLE_SOCKET_MS = 61_000;

export async function startApi(settings: ApiSettings, log: Logger): Promise<Api> {
  const { databaseUrl, redisUrl, requestTimeoutMs } = settings;
  const db = connect(databaseUrl, { max: 10, applicationName: 'parley-api' });
  await ping(db);
  const onError = (error: Error) => log.warn({ err: error }, 'the queue store cannot be reached');
  const backend = await openBackend({ redisUrl, databaseUrl, onError });
  const dispatcher = await makeDispatcher(backend, makeSeal(settings.secretKey), queueNames);
  const app = makeApp({
    ...settings,
    log,
    dispatcher,
    timeoutMs: requestTimeoutMs,
    rateLimit: rateLimit(settings.rateLimitPerMinute),
    now: backend.now,
    findToken: async text => {
      const hash = hashOf(text);
      return hash && findToken(db, hash);
    },
    checks: { database: () => ping(db), queue: () => dispatcher.ready() },
  });
  const handle = app.callback();
  const server = createServer((request, response) => void handle(request, response));
  // Longer than any load balancer's own limit, or it would send a request into a socket that is being closed.
  server.keepAliveTimeout = IDLE_SOCKET_MS;
  const port = await listening(server, settings.port);
  log.info({ port, queue: backend.kind }, 'api is listening');
  return {
    port,
    async close() {
      await closed(server);
      await dispatcher.close();
      await backend.close();
      await db.destroy();
    },
  };
}

function listening(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Connections that are kept alive count as open long after their last answer. */
function closed(server: Server): Promise<void> {
  return new Promise(resolve => {
    const idle = setInterval(() => server.closeIdleConnections(), 100);
    server.close(() => {
      clearInterval(idle);
      resolve();
    });
  });
}
