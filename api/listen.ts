import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
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
/** A response of which the client takes nothing for so long, or for twice as long, ends with its connection. */
const STALLED_MS = 15_000;
const POLL_EVERY_MS = 50;
/** Time for the responses to requests that were refused at the limit. */
const FINAL_RESPONSES_MS = 1_500;

/** Port 0: any free port. */
export async function listen(
  handle: RequestListener,
  address: Address,
  stalledMs = STALLED_MS,
): Promise<HttpServer> {
  const openRequests = makeOpenRequests();
  let isClosing = false;
  const server = createServer((request, response) => {
    if (!openRequests.add(request, response)) return void request.socket.destroy();
    if (isClosing) response.shouldKeepAlive = false;
    limitUpload(request, reason => refuseUpload(reason, request, response));
    if (!hasPath(request)) return refuseUpload('request-unreadable', request, response);
    handle(request, response);
  });
  server.keepAliveTimeout = IDLE_SOCKET_MS;
  // Node looks at what the system has taken of a write, and calls back when that was nothing since it looked last.
  server.setTimeout(stalledMs, socket => {
    const isIdle = socket.timeout !== stalledMs;
    if (isIdle || socket.writableLength > 0) socket.destroy();
  });
  server.on('clientError', refuseUnreadable);
  server.on('checkExpectation', refuseExpectation);
  await bind(server, address);
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs, onLate) {
      const closed = once(server, 'close');
      isClosing = true;
      openRequests.forEach((request, response) => {
        // An incomplete body may never end. Otherwise the response closes the connection.
        if (request.complete) response.shouldKeepAlive = false;
        else request.destroy();
      });
      server.close();
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

/** Node takes any text for the target of a request. */
function hasPath({ url = '' }: IncomingMessage): boolean {
  return url.startsWith('/') || url === '*' || (/^https?:/i.test(url) && URL.canParse(url));
}

/*
 * Refusals of requests that never reach Koa, or no longer: invalid HTTP, an unsupported expectation, a body that is cut
 * off. They have the same error format as all others.
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
