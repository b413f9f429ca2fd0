import OpenAI, { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import type { PromptMessage } from '../domain/prompts/prompt.ts';
import { vectorsIn } from '../domain/retrieval/vector-space.ts';
import { makePlainFetch } from '../tools/plain-response.ts';
import { MAX_MESSAGE_BYTES, ResponseTooLargeError } from '../tools/response-meter.ts';
import { type BodyForm, withBody, withMaxBytes } from '../tools/response-reader.ts';
import type { TokenUsage } from './prices.ts';
import {
  type AnswerForm,
  type AnswerProgress,
  type Completion,
  type CompletionRequest,
  ModelError,
  type ModelMessage,
  type Provider,
  type Transcript,
} from './provider.ts';
import { formOf } from './recording-form.ts';
import { addCalls, callsIn, isShortText, type StreamedCall } from './tool-calls.ts';

/*
 * The protocol of OpenAI, which most providers have. No other file uses the package `openai`. It checks nothing of an answer:
 * `200 {}` resolves, too.
 */

export interface OpenAiSettings {
  readonly baseURL: string | undefined;
  readonly apiKey?: string | undefined;
  readonly models?: readonly string[] | undefined;
}

/** Sends a request, and limits the response to one of this form. */
export type FetchOf = (form: BodyForm) => typeof fetch;

const WHOLE: BodyForm = {};
/** A stream adds some hundred bytes around each token, including thoughts. */
const STREAM: BodyForm = {
  events: { isRight: response => !isWhole(response), maxBytes: 4 * MAX_MESSAGE_BYTES },
};
/** A gateway lists 400 models in 400 kB. */
const LIST: BodyForm = { maxBytes: 1_048_576 };

export function makeOpenAiProvider(
  name: string,
  settings: OpenAiSettings,
  fetchOfTenant?: FetchOf,
): Provider {
  const clientOf = (form: BodyForm) => makeClient(settings, form, fetchOfTenant);
  const [client, streaming, listing] = [clientOf(WHOLE), clientOf(STREAM), clientOf(LIST)];
  const requestOf = (signal: AbortSignal, purpose: string) => ({
    signal,
    headers: { 'X-Parley-Purpose': purpose },
  });
  return {
    name,
    models: settings.models ?? [],
    complete: (request, { signal, purpose, progress }) =>
      translateErrors(async () => {
        const sent = client.chat.completions.create(wireRequestOf(request), requestOf(signal, purpose));
        return readCompletion(await sent.asResponse(), progress);
      }),
    stream: (request, { signal, purpose, progress }, onText) =>
      translateErrors(async () => {
        const streamed = {
          ...wireRequestOf(request),
          stream: true as const,
          stream_options: { include_usage: true },
        };
        const sent = streaming.chat.completions.create(streamed, requestOf(signal, purpose));
        const response = await sent.asResponse();
        if (isWhole(response)) return readCompletion(response, progress);
        return completionOf(await readChunks(await sent, signal, { ...progress, onText }));
      }),
    embed: (model, texts, signal) =>
      translateErrors(async () => {
        const wanted = { model, input: [...texts], encoding_format: 'float' as const };
        const answer = await client.embeddings.create(wanted, requestOf(signal, 'embedding'));
        return { vectors: vectorsIn(answer, texts.length), usage: usageIn(answer) };
      }),
    transcribe: (model, recording, signal) =>
      translateErrors(async () => {
        const { contentType, body } = formOf(recording, { model, response_format: 'json' });
        const { headers } = requestOf(signal, 'transcription');
        const sent = { body, signal, headers: { ...headers, 'Content-Type': contentType } };
        return transcriptIn(await client.post('/audio/transcriptions', sent));
      }),
    listModels: signal =>
      translateErrors(async () => {
        const { data } = await listing.get<{ data: readonly ({ id?: unknown } | null)[] }>('/models', {
          signal,
        });
        return data.map(entry => entry?.id);
      }),
  };
}

function makeClient(
  { baseURL, apiKey = 'none' }: OpenAiSettings,
  form: BodyForm,
  ofTenant?: FetchOf,
): OpenAI {
  // The retries of the library ignore our deadline. Whatever OPENAI_LOG says, it logs nothing: a line would contain the prompt.
  return new OpenAI({
    baseURL,
    apiKey,
    maxRetries: 0,
    logLevel: 'off',
    fetch: translateLost((ofTenant ?? fetchOfInstallation)(form)),
    // The library would take these from our environment.
    ...(ofTenant ? { organization: null, project: null } : {}),
  });
}

function isWhole({ headers }: Response): boolean {
  return headers.get('content-type')?.includes('json') ?? false;
}

const plainFetch = makePlainFetch(fetch);

/** The operator has chosen these providers, so their answers are limited in bytes only. */
const fetchOfInstallation: FetchOf =
  ({ maxBytes = MAX_MESSAGE_BYTES, events }) =>
  async (url, init) => {
    const response = await plainFetch(url, init);
    return withMaxBytes(response, events?.isRight(response) ? events.maxBytes : maxBytes);
  };

/** A connection lost after the headers is translated here, because `fetch` throws a TypeError for it, as for any bug. */
function translateLost(send: typeof fetch): typeof fetch {
  return async (url, init) => {
    const response = await send(url, init);
    return withBody(response, response.body && translated(response.body, init?.signal));
  };
}

async function* translated(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal | null | undefined,
): AsyncGenerator<Uint8Array> {
  let hasBegun = false;
  try {
    for await (const piece of body) {
      hasBegun = true;
      yield piece;
    }
  } catch (error) {
    if (error instanceof ResponseTooLargeError) throw new ModelError('unusable answer: too large');
    throw signal?.aborted
      ? new ModelError('aborted')
      : new ModelError('unusable answer: cut short', !hasBegun);
  }
}

async function translateErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toModelError(error);
  }
}

function toModelError(error: unknown): unknown {
  if (error instanceof APIUserAbortError) return new ModelError('aborted');
  if (error instanceof APIConnectionError) return new ModelError('no connection', true);
  if (error instanceof APIError) {
    const { status, headers } = error;
    // An error that the provider sends instead of a chunk has no status.
    if (status === undefined) return new ModelError('unusable answer: cut short');
    return new ModelError('refused', true, status, headers);
  }
  return error instanceof SyntaxError ? new ModelError('unreadable answer') : error;
}

function wireRequestOf({ model, messages, maxTokens, ...form }: CompletionRequest) {
  return {
    model,
    messages: messages.map(wireMessageOf),
    ...formatOf(form),
    ...toolsOf(form),
    ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
  };
}

function wireMessageOf(message: ModelMessage): OpenAI.ChatCompletionMessageParam {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
  if (!('toolCalls' in message)) return wirePromptOf(message);
  const calls = message.toolCalls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function' as const,
    // Providers refuse the whole request because of one invalid name or argument, even one that their model wrote.
    function: { name: validNameOf(name), arguments: isJson(args) ? args : '{}' },
  }));
  return { role: 'assistant', content: message.content || null, tool_calls: calls };
}

function wirePromptOf({ role, content, images = [] }: PromptMessage): OpenAI.ChatCompletionMessageParam {
  if (role !== 'user' || images.length === 0) return { role, content };
  const pictures = images.map(({ mediaType, base64 }) => ({
    type: 'image_url' as const,
    image_url: { url: `data:${mediaType};base64,${base64}` },
  }));
  return { role, content: [{ type: 'text', text: content }, ...pictures] };
}

function validNameOf(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function formatOf({ answerSchema }: AnswerForm) {
  if (!answerSchema) return {};
  const { name, schema } = answerSchema;
  const json_schema = { name, strict: true, schema: { ...schema } };
  return { response_format: { type: 'json_schema' as const, json_schema } };
}

function toolsOf({ tools: offered = [], mayCall = true, mustCall }: AnswerForm) {
  if (offered.length === 0) return {};
  const tools = offered.map(({ name, description, parameters }) => ({
    type: 'function' as const,
    function: { name, description, parameters: { ...parameters } },
  }));
  if (!mayCall) return { tools, tool_choice: 'none' as const };
  if (mustCall === undefined) return { tools };
  return { tools, tool_choice: { type: 'function' as const, function: { name: mustCall } } };
}

async function readCompletion(response: Response, progress: AnswerProgress): Promise<Completion> {
  const answer = await readWhole(response, progress);
  progress.onUsage(usageIn(answer));
  return completionOf(answer);
}

/** Reads an answer that is sent as a whole. Blanks, which keep a connection open, are not part of it. */
async function readWhole(response: Response, { onPart }: AnswerProgress): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body ?? []) {
    const part = decoder.decode(bytes, { stream: true });
    if (part.trim() !== '') onPart();
    text += part;
  }
  return JSON.parse(text + decoder.decode());
}

type Chunk = OpenAI.ChatCompletionChunk;

interface ChunkListeners extends AnswerProgress {
  onText(piece: string): void;
}

/** Reads an answer that is sent in chunks. Rejects if it was cut short before it was finished. */
async function readChunks(
  chunks: AsyncIterable<Chunk>,
  signal: AbortSignal,
  { onPiece, onFinish, onUsage, onText }: ChunkListeners,
): Promise<unknown> {
  const message: { content: string; tool_calls: StreamedCall[] } = { content: '', tool_calls: [] };
  let model = '';
  let finishReason: string | undefined;
  try {
    for await (const chunk of chunks) {
      model ||= typeof chunk?.model === 'string' ? chunk.model : '';
      if (chunk?.usage) onUsage(usageIn(chunk));
      const choice = chunk?.choices?.[0];
      if (finishReason === undefined && hasPiece(choice?.delta)) onPiece();
      const text = textIn(choice?.delta);
      if (text !== '') {
        message.content += text;
        onText(text);
      }
      addCalls(message.tool_calls, choice?.delta?.tool_calls);
      if (finishReason === undefined && choice?.finish_reason) {
        finishReason = choice.finish_reason;
        onFinish();
      }
    }
  } catch (error) {
    if (finishReason === undefined) throw error;
  }
  // The library ends the chunks of an aborted request as if they were all there.
  if (finishReason === undefined)
    throw new ModelError(signal.aborted ? 'aborted' : 'unusable answer: cut short');
  return { model, choices: [{ message, finish_reason: finishReason }] };
}

/** Some models send their role first, or empty texts to keep a connection open. */
function hasPiece(delta: unknown): boolean {
  const isEmpty = (value: unknown) =>
    value === null || value === '' || (Array.isArray(value) && value.length === 0);
  return Object.entries(delta ?? {}).some(([name, value]) => name !== 'role' && !isEmpty(value));
}

function completionOf(answer: unknown): Completion {
  const { model, choices } = (answer ?? {}) as Partial<OpenAI.ChatCompletion>;
  const choice = choices?.[0];
  const message = choice?.message;
  const finishReason: unknown = choice?.finish_reason;
  return {
    model: isShortText(model) ? model : '',
    text: message ? textIn(message) : undefined,
    toolCalls: callsIn(message?.tool_calls),
    finishReason: isShortText(finishReason) ? finishReason : undefined,
  };
}

/** Some providers send parts, including thoughts and refusals, and some put their refusals beside the text. */
function textIn(message: unknown): string {
  const { content, refusal } = (message ?? {}) as { readonly content?: unknown; readonly refusal?: unknown };
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const texts = parts.map(partText).join('');
  return texts === '' && typeof refusal === 'string' ? refusal : texts;
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  const { type, text, refusal } = (part ?? {}) as Readonly<Record<string, unknown>>;
  if (type === 'refusal' && typeof refusal === 'string') return refusal;
  const isSpoken = (type ?? 'text') === 'text' || type === 'output_text';
  return isSpoken && typeof text === 'string' ? text : '';
}

function transcriptIn(answer: unknown): Transcript {
  const { text, usage } = (answer ?? {}) as { readonly text?: unknown; readonly usage?: unknown };
  const { seconds } = (usage ?? {}) as { readonly seconds?: unknown };
  return {
    text: typeof text === 'string' ? text : undefined,
    seconds: typeof seconds === 'number' ? seconds : undefined,
  };
}

/** An embedding has no output tokens. A value that is no number becomes NaN, which no call can take. */
function usageIn(answer: unknown): TokenUsage | undefined {
  const { usage } = (answer ?? {}) as Partial<OpenAI.ChatCompletion>;
  if (!usage) return undefined;
  const numberOf = (value: unknown, absent: number) =>
    (value ?? undefined) === undefined ? absent : typeof value === 'number' ? value : Number.NaN;
  return {
    input: numberOf(usage.prompt_tokens, Number.NaN),
    cached: numberOf(usage.prompt_tokens_details?.cached_tokens, 0),
    output: numberOf(usage.completion_tokens, 0),
  };
}
