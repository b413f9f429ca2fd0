import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { isRefusal, MODEL_ID, makeRefusalBody, parseChatRequest, type Refusal } from './chat-request.ts';
import { makeCompletion, makeCompletionBody, makeCompletionChunks } from './completion.ts';
import { chooseReply } from './reply.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** The words of a stream come one by one, so that people see the stream. */
const WORD_PAUSE_MS = 15;

/** 2025-01-01, in seconds: clients expect a date of creation. */
const MODEL_CREATED = 1_735_689_600;

const modelEntry = { id: MODEL_ID, object: 'model', created: MODEL_CREATED, owned_by: 'parley' };

function sendJson(
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

function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  sendJson(response, refusal.status, makeRefusalBody(refusal), refusal.headers);
}

async function handleChat(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readJsonBody(request);
  if (!('json' in body)) return sendRefusal(response, body);
  const chat = parseChatRequest(body.json);
  if (isRefusal(chat)) return sendRefusal(response, chat);
  const completion = makeCompletion(chat, chooseReply(chat));
  if (!chat.isStreaming) return sendJson(response, 200, makeCompletionBody(completion));
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  for (const chunk of makeCompletionChunks(completion, chat.includeUsage)) {
    if (response.destroyed) return;
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    await setTimeout(WORD_PAUSE_MS);
  }
  response.end('data: [DONE]\n\n');
}

const routes: Readonly<Record<string, readonly [method: string, handler: Handler]>> = {
  '/v1/chat/completions': ['POST', handleChat],
  '/v1/models': ['GET', (_, response) => sendJson(response, 200, { object: 'list', data: [modelEntry] })],
  [`/v1/models/${MODEL_ID}`]: ['GET', (_, response) => sendJson(response, 200, modelEntry)],
};

async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '/').replace(/\?.*$/s, '');
  const [method, handler] = (Object.hasOwn(routes, path) ? routes[path] : undefined) ?? [];
  if (handler && request.method === method) return handler(request, response);
  // An unread body would block the next request on a keep-alive connection.
  request.resume();
  if (method) {
    const message = `Only ${method} is allowed here.`;
    const headers = { allow: method };
    return sendRefusal(response, { status: 405, message, code: 'method_not_allowed', headers });
  }
  const [message, code] = path.startsWith('/v1/models/')
    ? ['The model does not exist.', 'model_not_found']
    : ['Unknown request URL.', 'unknown_url'];
  sendRefusal(response, { status: 404, message, code });
}

/** An OpenAI-compatible server that is not listening yet. */
export function makeModelServer(): Server {
  return createServer((request, response) => {
    handleRequest(request, response).catch((error: unknown) => {
      if (request.errored || response.headersSent) response.destroy();
      else
        sendRefusal(response, { status: 500, message: 'The server had an error.', code: 'internal_error' });
      if (!request.errored) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    });
  });
}

/** Far more than the prompt of a turn. */
const MAX_BYTES = 20 * 1024 * 1024;

/**
 * Resolves to the parsed body, or to the error response. A body that is too large is read to its end: its sender would otherwise
 * get a reset, and no answer.
 */
async function readJsonBody(request: IncomingMessage): Promise<{ json: unknown } | Refusal> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length <= MAX_BYTES) pieces.push(piece);
  }
  if (length > MAX_BYTES) {
    const message = `The request body is larger than ${MAX_BYTES} bytes.`;
    return { status: 413, message, code: 'request_too_large' };
  }
  try {
    return { json: JSON.parse(Buffer.concat(pieces).toString('utf8')) as unknown };
  } catch {
    return { status: 400, message: 'The request body is not valid JSON.', code: 'invalid_json' };
  }
}
