import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { failure, type Refusal } from '../queues/contract/failure.ts';

export interface HttpServer {
  readonly port: number;
  /**
   * Takes no new connections, and closes the others once the requests under way are answered. After `graceMs` those that are
   * left are told by `onLate` to come to an end, and a moment later are cut off.
   */
  close(graceMs: number, onLate: () => void): Promise<void>;
}

/** Longer than any load balancer's own limit, or it would send a request into a socket that is being closed. */
const IDLE_SOCKET_MS = 61_000;
const LOOK_EVERY_MS = 50;
/** What is refused at the limit has this long to reach its client. */
const FINAL_ANSWERS_MS = 1_500;

/** Port 0 is any that is free; without a host it listens on all addresses. */
export async function listen(
  handle: RequestListener,
  { port, host }: { readonly port: number; readonly host?: string | undefined },
): Promise<HttpServer> {
  const openRequests = new Map<ServerResponse, IncomingMessage>();
  let isClosing = false;
  const server = createServer((request, response) => {
    openRequests.set(response, request);
    response.once('close', () => openRequests.delete(response));
    if (isClosing) response.shouldKeepAlive = false;
    handle(request, response);
  });
  server.keepAliveTimeout = IDLE_SOCKET_MS;
  server.on('clientError', refuseUnreadable);
  server.on('checkExpectation', (_request, response) => {
    const { head, body } = rawRefusalOf('expectation-failed');
    response.writeHead(417, head).end(body);
  });
  server.listen(host === undefined ? { port } : { port, host });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs, onLate) {
      const closed = once(server, 'close');
      isClosing = true;
      for (const [response, request] of openRequests) {
        // A body that is still being sent may never end. Else the answer tells the client to connect anew.
        if (request.complete) response.shouldKeepAlive = false;
        else request.destroy();
      }
      server.close();
      // A socket that is kept alive, or was opened ahead of its first request, would hold us for a minute.
      const allAnswered = async (limit: number) => {
        while (openRequests.size > 0 && performance.now() < limit) {
          server.closeIdleConnections();
          await delay(LOOK_EVERY_MS);
        }
      };
      await allAnswered(performance.now() + graceMs);
      if (openRequests.size > 0) onLate();
      await allAnswered(performance.now() + FINAL_ANSWERS_MS);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What is not HTTP never becomes a request; it is answered in the same envelope all the same. */
function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const isLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const { status, head, body } = rawRefusalOf(isLarge ? 'headers-too-large' : 'request-unreadable');
  const lines = Object.entries({ ...head, Connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} Refused`, ...lines, '', body].join('\r\n'));
}

function rawRefusalOf(reason: Refusal) {
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
