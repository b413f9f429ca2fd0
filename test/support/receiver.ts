import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface ReceivedEvent {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As it was sent. */
  readonly text: string;
  readonly body: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Record<string, unknown>;
  };
  readonly at: number;
}

export type ReceiverScript = (received: ReceivedEvent, response: ServerResponse) => void;

export interface Receiver {
  readonly url: string;
  readonly received: ReceivedEvent[];
  /** How many requests are open now, and were at most. */
  readonly open: { now: number; most: number };
  script(script: ReceiverScript): void;
  close(): Promise<void>;
}

export const answer =
  (status: number): ReceiverScript =>
  (_received, response) =>
    void response.writeHead(status).end();

export async function startReceiver(): Promise<Receiver> {
  let current = answer(204);
  const received: ReceivedEvent[] = [];
  const open = { now: 0, most: 0 };
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const { url: path = '', headers } = request;
    const event = { path, headers, text, body: JSON.parse(text || '{}'), at: Date.now() };
    received.push(event);
    current(event, response);
  };
  const server = createServer((request, response) => {
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    response.once('close', () => (open.now -= 1));
    void receive(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    open,
    script: script => {
      current = script;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Throws unless the event is signed with this secret. */
export function verify(secret: string, { headers, text }: ReceivedEvent): void {
  new Webhook(secret).verify(text, headers as Record<string, string>);
}
