import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the service sent to the model. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly SentMessage[];
  readonly tools?: readonly { readonly type: string; readonly function: SentFunction }[];
  readonly tool_choice?: string | { readonly type: string; readonly function: { readonly name: string } };
  readonly response_format?: { readonly type: string; readonly json_schema?: AnswerFormat };
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

/** What the service asked vectors for. */
export interface EmbeddingRequest {
  readonly model: string;
  readonly input: readonly string[];
  readonly encoding_format?: string;
  readonly headers: IncomingMessage['headers'];
}

export type EmbeddingScript = (request: EmbeddingRequest, response: ServerResponse) => void | Promise<void>;

export type ModelScript = (request: ModelRequest, response: ServerResponse) => void | Promise<void>;

/** A model reached over HTTP like any other, which does what the test says. */
export interface ScriptedModel {
  readonly baseURL: string;
  readonly requests: ModelRequest[];
  /** What it says its models are; none: it does not tell. */
  models: readonly string[];
  /** Called in the place of telling its models, with what tells them. */
  onModels: (tell: () => void, response: ServerResponse) => unknown;
  readonly embeddingRequests: EmbeddingRequest[];
  /** What gives vectors; at first nothing does. `embed` is the usual one. */
  onEmbeddings: EmbeddingScript;
  /** From now on; `say` and `fail` are the usual scripts. */
  script(script: ModelScript): void;
  close(): Promise<void>;
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  let current: ModelScript = say('Tudo certo.');
  const requests: ModelRequest[] = [];
  const embeddingRequests: EmbeddingRequest[] = [];
  const model: Pick<ScriptedModel, 'models' | 'onModels' | 'onEmbeddings'> = {
    models: [],
    onModels: tell => tell(),
    onEmbeddings: (_request, response) => sendJson(response, 404, { error: { message: 'no such address' } }),
  };
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
    void readJson(request).then(async body => {
      const seen = { ...(body as ModelRequest), headers: request.headers, at: Date.now() };
      requests.push(seen);
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
    script: (script: ModelScript) => {
      current = script;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

/** Answers with this text, or with what is made of the request. */
export function say(text: string | ((request: ModelRequest) => string), tokens = 42): ModelScript {
  return (request, response) => {
    const content = typeof text === 'string' ? text : text(request);
    complete(request, response, { role: 'assistant', content }, tokens);
  };
}

/** Gives each text the vector that is made of it. */
export function embed(vectorOf: (text: string) => readonly unknown[]): EmbeddingScript {
  return ({ model, input }, response) => {
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }));
    const usage = { prompt_tokens: input.length, total_tokens: input.length };
    sendJson(response, 200, { object: 'list', model, data, usage });
  };
}

/** A vector by meaning: each concept has a number of its own, and a text has those of the concepts that it speaks of. */
export function byConcept(...concepts: readonly RegExp[]): (text: string) => number[] {
  return text => [0.1, ...concepts.map(concept => (concept.test(text) ? 1 : 0))];
}

/** Refuses these texts, one by one or together with others. */
export function refuse(status: number): EmbeddingScript {
  return (_request, response) => sendJson(response, status, { error: { message: 'scripted refusal' } });
}

/** Wants these functions called, the arguments given as a value or as the text that the model wrote. */
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

/** One script for each round of a turn; the last for all that come after it. */
export function rounds(...scripts: readonly ModelScript[]): ModelScript {
  return (request, response) => {
    const round = request.messages.filter(message => message.tool_calls !== undefined).length;
    return (scripts[round] ?? scripts.at(-1))?.(request, response);
  };
}

/** What the model was told of its last calls. */
export function toldIn(request: ModelRequest | undefined): string[] {
  const messages = request?.messages ?? [];
  const last = messages.findLastIndex(message => message.tool_calls !== undefined);
  return messages.slice(last + 1).map(({ content }) => content);
}

function complete(request: ModelRequest, response: ServerResponse, message: object, tokens: number): void {
  sendJson(response, 200, {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: request.model,
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: tokens - 1, completion_tokens: 1, total_tokens: tokens },
  });
}

/** A text of JSON with a value of the right type in each field that was asked for. */
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
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString() || '{}');
}
