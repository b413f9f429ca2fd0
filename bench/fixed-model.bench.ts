import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

interface FixedModel {
  readonly baseURL: string;
  /** The body of the last request. */
  last(): string;
  close(): void;
}

/** A model over HTTP that always gives the same answer, after a fixed delay. */
export async function startFixedModel({
  answer,
  afterMs = 0,
  onRequest,
}: {
  answer: string;
  afterMs?: number | ((body: string) => number);
  /** `key`: the API key of the request. */
  onRequest?: (body: string, key: string) => void;
}): Promise<FixedModel> {
  const completion = JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    // This is the text heard in a recording.
    text: answer,
    created: 1,
    model: 'bench',
    choices: [{ index: 0, message: { role: 'assistant', content: answer }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 900, completion_tokens: 20, total_tokens: 920 },
  });
  let last = Buffer.alloc(0);
  const reply = async (request: IncomingMessage, response: ServerResponse) => {
    last = Buffer.concat(await request.toArray());
    onRequest?.(String(last), String(request.headers.authorization).replace('Bearer ', ''));
    const waitMs = typeof afterMs === 'number' ? afterMs : afterMs(String(last));
    if (waitMs > 0) await delay(waitMs);
    response.writeHead(200, { 'content-type': 'application/json' }).end(completion);
  };
  const server = createServer((request, response) => void reply(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    last: () => String(last),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
