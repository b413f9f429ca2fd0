import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Ctx } from '../context.ts';

/*
 * The requests of this server without a complete response. Node notifies only the first of several pipelined responses
 * when their connection is gone; the others are notified here, so that their work is cancelled and nothing keeps them in memory.
 */

export interface OpenRequests {
  readonly size: number;
  /** False if the connection has sent too many requests without waiting for the responses. */
  add(request: IncomingMessage, response: ServerResponse): boolean;
  some(test: (request: IncomingMessage) => boolean): boolean;
  forEach(visit: (request: IncomingMessage, response: ServerResponse) => void): void;
}

/** Hardly any client sends a request before the response to its last one. */
const MAX_PIPELINED = 8;

/** Also true of a pipelined request whose connection ended before anybody listened: its response is never closed again. */
export function hasLeft({ req, res }: Ctx): boolean {
  return res.closed || req.socket.destroyed;
}

export function makeOpenRequests(): OpenRequests {
  const open = new Map<ServerResponse, IncomingMessage>();
  const bySocket = new WeakMap<Socket, Set<ServerResponse>>();

  function responsesOf(socket: Socket): Set<ServerResponse> {
    const known = bySocket.get(socket);
    if (known) return known;
    const responses = new Set<ServerResponse>();
    bySocket.set(socket, responses);
    // Node tells the first one in the same tick.
    socket.once('close', () => setImmediate(() => responses.forEach(response => response.emit('close'))));
    return responses;
  }

  return {
    get size() {
      return open.size;
    },
    add(request, response) {
      const responses = responsesOf(request.socket);
      if (responses.size >= MAX_PIPELINED) return false;
      responses.add(response);
      open.set(response, request);
      response.once('close', () => {
        responses.delete(response);
        open.delete(response);
      });
      return true;
    },
    some: test => [...open.values()].some(test),
    forEach: visit => open.forEach((request, response) => visit(request, response)),
  };
}
