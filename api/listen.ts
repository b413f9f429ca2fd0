import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Listening {
  readonly port: number;
  /** Takes no new connections, and closes the others once the requests under way are answered. */
  close(): Promise<void>;
}

/** Longer than any load balancer's own limit, or it would send a request into a socket that is being closed. */
const IDLE_SOCKET_MS = 61_000;
const LOOK_EVERY_MS = 50;

/** Port 0 is any that is free. */
export async function listen(handle: RequestListener, wantedPort: number): Promise<Listening> {
  const underWay = new Set<ServerResponse>();
  let isClosing = false;
  const server = createServer((request, response) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
    if (isClosing) response.shouldKeepAlive = false;
    handle(request, response);
  });
  server.keepAliveTimeout = IDLE_SOCKET_MS;
  server.listen(wantedPort);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      isClosing = true;
      // The answer itself tells the client to come back over another connection.
      for (const response of underWay) response.shouldKeepAlive = false;
      server.close();
      // A socket that is kept alive, or was opened ahead of its first request, would hold us for a minute.
      while (underWay.size > 0) {
        server.closeIdleConnections();
        await delay(LOOK_EVERY_MS);
      }
      server.closeAllConnections();
      await closed;
    },
  };
}
