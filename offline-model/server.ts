import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { chatRequestOf, modelId } from './chat-request.ts';
import { completionBody, completionChunks, makeCompletion } from './completion.ts';
import { isRefusal, type Refusal, refusalBody } from './refusal.ts';
import { replyTo } from './reply.ts';
import { jsonBodyOf } from './request-body.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

const modelEntry = { id: modelId, object: 'model', created: 1_735_689_600, owned_by: 'parley' };

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    ...headers,
  });
  response.end(bytes);
}

function refuse(response: ServerResponse, refusal: Refusal): void {
  send(response, refusal.status, refusalBody(refusal), refusal.headers);
}

async function answerChat(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await jsonBodyOf(request);
  if (!('json' in body)) return refuse(response, body);
  const chat = chatRequestOf(body.json);
  if (isRefusal(chat)) return refuse(response, chat);
  const completion = makeCompletion(chat, replyTo(chat));
  if (!chat.isStream) return send(response, 200, completionBody(completion));
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  for (const chunk of completionChunks(completion, chat.includeUsage)) {
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  response.end('data: [DONE]\n\n');
}

const routes: Readonly<Record<string, readonly [method: string, handler: Handler]>> = {
  '/v1/chat/completions': ['POST', answerChat],
  '/v1/models': ['GET', (_, response) => send(response, 200, { object: 'list', data: [modelEntry] })],
  [`/v1/models/${modelId}`]: ['GET', (_, response) => send(response, 200, modelEntry)],
};

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '/').replace(/\?.*$/s, '');
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  // The body of a refused request must not stay on a kept-alive connection.
  if (!route || request.method !== route[0]) request.resume();
  if (!route) {
    const isModel = path.startsWith('/v1/models/');
    const message = isModel ? 'The model does not exist.' : 'Unknown request URL.';
    return refuse(response, { status: 404, message, code: isModel ? 'model_not_found' : 'unknown_url' });
  }
  const [method, handler] = route;
  if (request.method !== method) {
    const message = `Only ${method} is allowed here.`;
    return refuse(response, { status: 405, message, code: 'method_not_allowed', headers: { allow: method } });
  }
  await handler(request, response);
}

/** An OpenAI-compatible server that is not listening yet. */
export function makeModelServer(): Server {
  return createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (request.errored || response.headersSent) response.destroy();
      else refuse(response, { status: 500, message: 'The server had an error.', code: 'internal_error' });
      if (!request.errored) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    });
  });
}
