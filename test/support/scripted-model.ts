import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly SentMessage[];
  readonly tools?: readonly { readonly type: string; readonly function: SentFunction }[];
  readonly tool_choice?: string | { readonly type: string; readonly function: { readonly name: string } };
  readonly response_format?: { readonly type: string; readonly json_schema?: AnswerFormat };
  readonly stream?: boolean;
  readonly headers: IncomingMessage['headers'];
  readonly at: number;
}

interface SentMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
}

interface SentFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters: Record<string, unknown>;
}

interface AnswerFormat {
  readonly name: string;
  readonly strict: boolean;
  readonly schema: Record<string, unknown>;
}

export interface EmbeddingRequest {
  readonly model: string;
  readonly input: readonly string[];
  readonly encoding_format?: string;
  readonly headers: IncomingMessage['headers'];
}

export interface TranscriptionRequest {
  readonly model: string;
  readonly fileName: string;
  readonly bytes: Buffer;
  readonly headers: IncomingMessage['headers'];
}

export type TranscriptionScript = (
  request: TranscriptionRequest,
  response: ServerResponse,
) => void | Promise<void>;

export type EmbeddingScript = (request: EmbeddingRequest, response: ServerResponse) => void | Promise<void>;

export type ModelScript = (request: ModelRequest, response: ServerResponse) => void | Promise<void>;

/** A scripted model, reached over HTTP like any other. */
export interface ScriptedModel {
  readonly baseURL: string;
  readonly requests: ModelRequest[];
  /** Its list of models; empty: the list is not supported. */
  models: readonly string[];
  /** Called instead of returning the list; `tell` returns it. */
  onModels: (tell: () => void, response: ServerResponse) => unknown;
  readonly embeddingRequests: EmbeddingRequest[];
  /** The script for embeddings; fails by default. `embed` is the usual one. */
  onEmbeddings: EmbeddingScript;
  readonly transcriptionRequests: TranscriptionRequest[];
  /** The script for recordings; fails by default. `hear` is the usual one. */
  onTranscription: TranscriptionScript;
  /** Applies to the following requests; `say` and `fail` are the usual scripts. */
  script(script: ModelScript): void;
  /** Answers with this text from now on. */
  say(text: string): void;
  /** Ends the calls that are open, forgets all requests, and says its usual sentence from now on. */
  reset(): void;
  close(): Promise<void>;
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  const usual = say('Tudo certo.');
  let current: ModelScript = usual;
  const requests: ModelRequest[] = [];
  const embeddingRequests: EmbeddingRequest[] = [];
  const open = new Map<ServerResponse, ModelRequest>();
  const transcriptionRequests: TranscriptionRequest[] = [];
  const defaults: Pick<ScriptedModel, 'models' | 'onModels' | 'onEmbeddings' | 'onTranscription'> = {
    models: [],
    onModels: tell => tell(),
    onEmbeddings: (_request, response) => sendJson(response, 404, { error: { message: 'no such address' } }),
    onTranscription: (_request, response) =>
      sendJson(response, 404, { error: { message: 'no such address' } }),
  };
  const model = { ...defaults };
  const server = createServer((request, response) => {
    if (request.url === '/v1/models') {
      const body = { object: 'list', data: model.models.map(id => ({ id })) };
      return model.onModels(() => sendJson(response, 200, body), response);
    }
    if (request.url === '/v1/embeddings') {
      void readJson(request).then(body => {
        const seen = { ...(body as EmbeddingRequest), headers: request.headers };
        embeddingRequests.push(seen);
        return model.onEmbeddings(seen, response);
      });
      return;
    }
    if (request.url === '/v1/audio/transcriptions') {
      void readTranscriptionRequest(request).then(seen => {
        transcriptionRequests.push(seen);
        return model.onTranscription(seen, response);
      });
      return;
    }
    void readJson(request).then(async body => {
      const seen = { ...(body as ModelRequest), headers: request.headers, at: Date.now() };
      requests.push(seen);
      open.set(response, seen);
      response.once('close', () => open.delete(response));
      await current(seen, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(model, {
    baseURL: `http://127.0.0.1:${port}/v1`,
    requests,
    embeddingRequests,
    transcriptionRequests,
    script: (script: ModelScript) => {
      current = script;
    },
    say: (text: string) => {
      current = say(text);
    },
    reset() {
      Object.assign(model, defaults);
      current = usual;
      for (const [response, request] of open)
        if (response.headersSent) response.end();
        else void usual(request, response);
      requests.length = 0;
      embeddingRequests.length = 0;
      transcriptionRequests.length = 0;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

/** Answers with this text, or with a text computed from the request. */
export function say(text: string | ((request: ModelRequest) => string), tokens = 42): ModelScript {
  return (request, response) => {
    const content = typeof text === 'string' ? text : text(request);
    complete(request, response, { role: 'assistant', content }, tokens);
  };
}

/** Answers in chunks, where that was requested; `before` is awaited before each. */
export function sayInPieces(
  pieces: readonly string[],
  before: (at: number) => Promise<unknown> = async () => {},
): ModelScript {
  return async (request, response) => {
    if (!request.stream) return say(pieces.join(''))(request, response);
    const send = (chunk: object) =>
      response.write(`data: ${JSON.stringify({ id: 'chatcmpl-1', model: request.model, ...chunk })}\n\n`);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    for (const [at, content] of pieces.entries()) {
      await before(at);
      send({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
    }
    await before(pieces.length);
    send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    send({ choices: [], usage: { prompt_tokens: 41, completion_tokens: 1, total_tokens: 42 } });
    response.end('data: [DONE]\n\n');
  };
}

/** Streams a text, and then calls a tool; `before` is awaited between the two. */
export function sayThenCall(
  text: string,
  name: string,
  args: object,
  before: () => Promise<unknown> = async () => {},
): ModelScript {
  return async ({ model }, response) => {
    const send = (delta: object, finish_reason: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({ id: 'chatcmpl-1', model, choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
      );
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    send({ content: text });
    await before();
    const wanted = { name, arguments: JSON.stringify(args) };
    send({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: wanted }] });
    send({}, 'tool_calls');
    response.end('data: [DONE]\n\n');
  };
}

/** Says a text that is void, since a call for staff follows, and then these pieces; the call waits for `noteRead`. */
export function sayVoid(text: string, pieces: string[]): { script: ModelScript; noteRead(): void } {
  const reason = { reason: 'customer_request' };
  let noteRead = () => {};
  const isRead = new Promise<void>(resolve => (noteRead = resolve));
  const script: ModelScript = (request, response) =>
    request.messages.some(({ role }) => role === 'tool')
      ? sayInPieces(pieces)(request, response)
      : sayThenCall(text, 'ask_human_help', reason, () => isRead)(request, response);
  return { script, noteRead };
}

export function embed(vectorOf: (text: string) => readonly unknown[]): EmbeddingScript {
  return ({ model, input }, response) => {
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }));
    const usage = { prompt_tokens: input.length, total_tokens: input.length };
    sendJson(response, 200, { object: 'list', model, data, usage });
  };
}

/** The words of every recording. */
export function hear(text: unknown): TranscriptionScript {
  return (_request, response) => sendJson(response, 200, { text });
}

/** A vector with one dimension for each concept, set where the text matches it. */
export function byConcept(...concepts: readonly RegExp[]): (text: string) => number[] {
  return text => [0.1, ...concepts.map(concept => (concept.test(text) ? 1 : 0))];
}

/** Refuses these texts, single or batched. */
export function refuse(status: number): EmbeddingScript {
  return (_request, response) => sendJson(response, status, { error: { message: 'scripted refusal' } });
}

/** Requests these function calls, with arguments as a value or as raw text. */
export function call(
  wanted: readonly (readonly [name: string, args?: unknown])[],
  text = '',
  tokens = 42,
): ModelScript {
  return (request, response) => {
    const tool_calls = wanted.map(([name, args = {}], at) => ({
      id: `call_${request.messages.length}_${at}`,
      type: 'function',
      function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
    }));
    complete(request, response, { role: 'assistant', content: text || null, tool_calls }, tokens);
  };
}

/** One script for each round of a turn; the last one repeats. */
export function rounds(...scripts: readonly ModelScript[]): ModelScript {
  return (request, response) => {
    const round = request.messages.filter(message => message.tool_calls !== undefined).length;
    return (scripts[round] ?? scripts.at(-1))?.(request, response);
  };
}

/** The results of the last function calls in the request. */
export function toolResultsIn(request: ModelRequest | undefined): string[] {
  const messages = request?.messages ?? [];
  const last = messages.findLastIndex(message => message.tool_calls !== undefined);
  return messages.slice(last + 1).map(({ content }) => content);
}

/** No token has more bytes. */
const TOKEN_BYTES = 128;

function complete(request: ModelRequest, response: ServerResponse, message: object, tokens: number): void {
  const written = Math.ceil(Buffer.byteLength(JSON.stringify(message)) / TOKEN_BYTES);
  sendJson(response, 200, {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: request.model,
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: tokens - written, completion_tokens: written, total_tokens: tokens },
  });
}

/** JSON with a value of the right type for each field of the requested schema. */
export function formFor({ response_format: format }: ModelRequest): string {
  const samples = { string: 'texto', number: 1.5, integer: 1, boolean: true, array: [] };
  const fields = Object.entries(format?.json_schema?.schema['properties'] ?? {});
  const filled = fields.map(([name, { type }]) => [name, samples[type as keyof typeof samples]]);
  return JSON.stringify(Object.fromEntries(filled));
}

export function fail(status: number): ModelScript {
  return (_request, response) =>
    sendJson(response, status, { error: { message: 'scripted failure', type: 'test' } });
}

/** Holds every request until `release` is called; `held` resolves when the first has come. */
export function hold(then: ModelScript = say('Tudo certo.')) {
  let release = () => {};
  let arrived = () => {};
  const released = new Promise<void>(resolve => (release = resolve));
  const held = new Promise<void>(resolve => (arrived = resolve));
  const script: ModelScript = async (request, response) => {
    arrived();
    await released;
    await then(request, response);
  };
  return { script, held, release: () => release() };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  // A call that was held is ended by `reset` before its script goes on.
  if (response.writableEnded) return;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  return JSON.parse((await readBytes(request)).toString() || '{}');
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function readTranscriptionRequest(request: IncomingMessage): Promise<TranscriptionRequest> {
  const { headers } = request;
  const body = new Uint8Array(await readBytes(request));
  const sent = new Response(body, { headers: { 'content-type': headers['content-type'] ?? '' } });
  const form = await sent.formData();
  const file = form.get('file') as File;
  const bytes = Buffer.from(await file.arrayBuffer());
  return { model: form.get('model') as string, fileName: file.name, bytes, headers };
}
