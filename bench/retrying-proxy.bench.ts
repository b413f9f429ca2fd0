import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A minimal load balancer: round-robin, and the next process after a refused connection or a refusal. */
export interface RetryingProxy {
  readonly baseURL: string;
  /** Number of retries. */
  retried(): number;
  close(): Promise<void>;
}

const MAX_ATTEMPTS = 5;
const BEFORE_NEXT_MS = 100;

/** Suits only requests that may be repeated, such as those with an Idempotency-Key. */
export async function startRetryingProxy(upstreams: () => readonly string[]): Promise<RetryingProxy> {
  let turn = 0;
  let retries = 0;
  const passOn = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const first = turn++;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const all = upstreams();
      const answer = await ask(all[(first + attempt) % all.length] ?? '', request, Buffer.concat(chunks));
      if (answer && (answer.status !== 503 || attempt === MAX_ATTEMPTS))
        return void response
          .writeHead(answer.status, { 'content-type': 'application/json' })
          .end(answer.body);
      retries += 1;
      await delay(BEFORE_NEXT_MS);
    }
    response.writeHead(502).end();
  };
  const server = createServer((request, response) => {
    passOn(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}`,
    retried: () => retries,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function ask(base: string, { url, method = 'GET', headers }: IncomingMessage, body: Buffer) {
  const passed = ['authorization', 'content-type', 'idempotency-key'].flatMap(name => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as [string, string]] : [];
  });
  try {
    const answer = await fetch(`${base}${url}`, {
      method,
      headers: passed,
      ...(body.length > 0 ? { body } : {}),
    });
    return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
  } catch {
    return undefined;
  }
}
