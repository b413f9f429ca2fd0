import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { failure, type Refusal } from '../../queues/contract/failure.ts';

/*
 * Refusals of requests that never reach Koa, or no longer: invalid HTTP, an unsupported expectation, a body that is cut
 * off. They have the same error format as all others.
 */

export function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const isLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const { status, head, body } = makeRawRefusal(isLarge ? 'headers-too-large' : 'request-unreadable');
  const lines = Object.entries({ ...head, Connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} Refused`, ...lines, '', body].join('\r\n'));
}

export function refuseUpload(reason: Refusal, request: IncomingMessage, response: ServerResponse): void {
  request.socket.pause();
  if (response.headersSent) return void request.destroy();
  const { status, head, body } = makeRawRefusal(reason);
  response.writeHead(status, { ...head, Connection: 'close' }).end(body);
}

export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
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
