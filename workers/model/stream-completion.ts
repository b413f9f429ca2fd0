import type OpenAI from 'openai';
import { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import { UnusableAnswerError } from './completion.ts';

type Chunk = OpenAI.ChatCompletionChunk;

/** As far as `readAnswer` and `readTokens` read it. */
export interface StreamedCompletion {
  readonly model: string;
  readonly usage?: { readonly total_tokens?: number | undefined } | undefined;
  readonly choices: readonly [{ readonly message: { content: string; tool_calls: StreamedCall[] } }];
}

interface StreamedCall {
  id: string | undefined;
  readonly function: { name: string; arguments: string };
}

interface StreamListeners {
  /** A part of the answer has come: of its text, its thoughts or its calls. */
  onPiece(): void;
  /** A part of an answer that is sent as a whole has come: nobody can use it before the others. */
  onPart(): void;
  /** The answer is complete, although the stream has not ended. */
  onFinish(): void;
  onText(piece: string): void;
}

const MAX_CALLS = 64;

/** Requests a completion in chunks. A provider that sends it as a whole is as good. */
export async function streamCompletion(
  client: OpenAI,
  request: Omit<OpenAI.ChatCompletionCreateParamsStreaming, 'stream'>,
  options: { readonly signal: AbortSignal; readonly headers: Record<string, string> },
  listeners: StreamListeners,
): Promise<StreamedCompletion> {
  const streamed = { ...request, stream: true as const, stream_options: { include_usage: true } };
  const pending = client.chat.completions.create(streamed, options);
  const response = await pending.asResponse();
  if (response.headers.get('content-type')?.includes('json')) return readWhole(response, listeners.onPart);
  return readStream(await pending, options.signal, listeners);
}

/** Reads a completion that is sent as a whole. Blanks, which keep a connection open, are no part of it. */
export async function readWhole<T>(response: Response, onPart: () => void): Promise<T> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body ?? []) {
    const part = decoder.decode(bytes, { stream: true });
    if (part.trim() !== '') onPart();
    text += part;
  }
  return JSON.parse(text + decoder.decode()) as T;
}

/** Reads a completion that is sent in chunks. Rejects where it was cut short before it was finished. */
async function readStream(
  chunks: AsyncIterable<Chunk>,
  signal: AbortSignal,
  { onPiece, onFinish, onText }: StreamListeners,
): Promise<StreamedCompletion> {
  const message: { content: string; tool_calls: StreamedCall[] } = { content: '', tool_calls: [] };
  let model = '';
  let usage: StreamedCompletion['usage'];
  let isFinished = false;
  try {
    for await (const chunk of explainErrors(chunks)) {
      model ||= typeof chunk?.model === 'string' ? chunk.model : '';
      usage = chunk?.usage ?? usage;
      const choice = chunk?.choices?.[0];
      if (!isFinished && hasPiece(choice?.delta)) onPiece();
      const text = choice?.delta?.content;
      if (typeof text === 'string' && text !== '') {
        message.content += text;
        onText(text);
      }
      addCalls(message.tool_calls, choice?.delta?.tool_calls);
      if (!isFinished && choice?.finish_reason) {
        isFinished = true;
        onFinish();
      }
    }
  } catch (error) {
    if (!isFinished) throw error;
  }
  // The library ends the chunks of an aborted request, as if they were all.
  if (!isFinished) throw signal.aborted ? new APIUserAbortError() : new UnusableAnswerError('cut short');
  return { model, usage, choices: [{ message }] };
}

/** Some models send their role first, or empty texts to keep a connection open. */
function hasPiece(delta: unknown): boolean {
  return Object.entries(delta ?? {}).some(
    ([name, value]) => name !== 'role' && value !== '' && value !== null && !isEmptyList(value),
  );
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** A call comes in parts: its id and name first, then its arguments. */
function addCalls(calls: StreamedCall[], parts: Chunk['choices'][number]['delta']['tool_calls']): void {
  if (!Array.isArray(parts)) return;
  for (const part of parts) {
    const at = Number.isSafeInteger(part?.index) ? part.index : calls.length;
    if (at < 0 || at >= MAX_CALLS) continue;
    const call = (calls[at] ??= { id: undefined, function: { name: '', arguments: '' } });
    call.id ??= part.id;
    if (typeof part.function?.name === 'string') call.function.name += part.function.name;
    if (typeof part.function?.arguments === 'string') call.function.arguments += part.function.arguments;
  }
}

/** An error that the provider sends instead of a chunk has no status: the answer is cut short. */
async function* explainErrors(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
  try {
    yield* chunks;
  } catch (error) {
    const isInStream = error instanceof APIError && error.status === undefined;
    if (!isInStream || error instanceof APIConnectionError || error instanceof APIUserAbortError) throw error;
    throw new UnusableAnswerError('cut short');
  }
}
