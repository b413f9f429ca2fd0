import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { failure, type Refusal } from '../queues/contract/failure.ts';
import { type Address, bind } from './bind.ts';
import { limitUpload } from './guards/limit-upload.ts';
import { makeOpenRequests } from './guards/open-requests.ts';

export interface HttpServer {
  readonly port: number;
  /**
   * Accepts no new connections and waits for open requests. After `graceMs`, `onLate` must end the remaining ones;
   * `FINAL_RESPONSES_MS` later, all connections are closed.
   */
  close(graceMs: number, onLate: () => void): Promise<void>;
}

/** Longer than the idle timeout of load balancers, which would otherwise reuse a socket that is being closed. */
const IDLE_SOCKET_MS = 61_000;
/** A client that takes nothing of a response for this long, or for twice as long, loses its connection. */
const STALLED_MS = 15_000;
const POLL_EVERY_MS = 50;
/** At a shutdown, what has connected may take this long to send its request: a proxy asks no other process once it has sent it. */
const ON_ITS_WAY_MS = 1_000;
/** Time to send the responses to requests that were refused at the limit. */
const FINAL_RESPONSES_MS = 1_500;

/** Port 0: any free port. */
export async function listen(
  handle: RequestListener,
  address: Address,
  stalledMs = STALLED_MS,
): Promise<HttpServer> {
  const openRequests = makeOpenRequests();
  /** Connections that have not sent a request. */
  const fresh = new Set<Socket>();
  let isClosing = false;
  const server = createServer((request, response) => {
    fresh.delete(request.socket);
    if (!openRequests.add(request, response)) return void request.socket.destroy();
    if (isClosing) response.shouldKeepAlive = false;
    limitUpload(request, reason => refuseUpload(reason, request, response));
    if (!hasPath(request)) return refuseUpload('request-unreadable', request, response);
    handle(request, response);
  });
  server.keepAliveTimeout = IDLE_SOCKET_MS;
  // Node calls back if the system has taken nothing of a write since the last look.
  server.setTimeout(stalledMs, socket => {
    const isIdle = socket.timeout !== stalledMs;
    if (isIdle || socket.writableLength > 0) socket.destroy();
  });
  server.on('connection', socket => {
    fresh.add(socket);
    socket.once('close', () => fresh.delete(socket));
  });
  server.on('clientError', refuseUnreadable);
  server.on('checkExpectation', refuseExpectation);
  await bind(server, address);
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs, onLate) {
      const closed = once(server, 'close');
      isClosing = true;
      openRequests.forEach((_, response) => (response.shouldKeepAlive = false));
      await acceptConnected();
      // Node's own close of an HTTP server would also end the connections whose request is on its way.
      NetServer.prototype.close.call(server);
      const isOnItsWay = () => fresh.size > 0 || openRequests.some(request => !request.complete);
      const sendBy = performance.now() + ON_ITS_WAY_MS;
      while (isOnItsWay() && performance.now() < sendBy) await delay(POLL_EVERY_MS);
      // An incomplete body may never end.
      openRequests.forEach(request => !request.complete && request.destroy());
      // Idle sockets would delay the shutdown for `IDLE_SOCKET_MS`.
      const allResponded = async (limit: number) => {
        while (openRequests.size > 0 && performance.now() < limit) {
          server.closeIdleConnections();
          await delay(POLL_EVERY_MS);
        }
      };
      await allResponded(performance.now() + graceMs);
      if (openRequests.size > 0) onLate();
      await allResponded(performance.now() + FINAL_RESPONSES_MS);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A turn of the event loop that took longer than this may have left a connection to be accepted, which the close would reset. */
const CALM_MS = 2;

/** Ends at a turn of the event loop that was short, at the latest after `ON_ITS_WAY_MS`. */
async function acceptConnected(): Promise<void> {
  const endAt = performance.now() + ON_ITS_WAY_MS;
  await nextTurn();
  for (let tookMs = Number.POSITIVE_INFINITY; tookMs > CALM_MS && performance.now() < endAt; ) {
    const from = performance.now();
    await nextTurn();
    tookMs = performance.now() - from;
  }
}

/** Whether the target is a path: Node accepts any text. */
function hasPath({ url = '' }: IncomingMessage): boolean {
  return url.startsWith('/') || url === '*' || (/^https?:/i.test(url) && URL.canParse(url));
}

/*
 * Some requests never reach Koa, or end too early: invalid HTTP, an unsupported expectation, a cut-off body. Their refusals have
 * the same error format as all others.
 */

function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const isLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const { status, head, body } = makeRawRefusal(isLarge ? 'headers-too-large' : 'request-unreadable');
  const lines = Object.entries({ ...head, Connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} Refused`, ...lines, '', body].join('\r\n'));
}

function refuseUpload(reason: Refusal, request: IncomingMessage, response: ServerResponse): void {
  request.socket.pause();
  if (response.headersSent) return void request.destroy();
  const { status, head, body } = makeRawRefusal(reason);
  response.writeHead(status, { ...head, Connection: 'close' }).end(body);
}

function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { head, body } = makeRawRefusal('expectation-failed');
  response.writeHead(417, head).end(body);
}

function makeRawRefusal(reason: Refusal) {
  const requestId = randomUUID();
  const refused = failure(reason, { requestId });
  const body = JSON.stringify(refused);
  const head = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    'Cache-Control': 'no-store',
  };
  return { status: refused.code, head, body };
}
