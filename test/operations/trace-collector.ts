import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Accepts traces as OTLP over HTTP and stores the raw requests. */
export interface TraceCollector {
  readonly endpoint: string;
  readonly sent: string[];
  close(): Promise<void>;
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const sent: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then(body => {
      sent.push(body);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
