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
  onHeaders(): void;
  onText(piece: string): void;
}

const MAX_CALLS = 64;

/** Requests a completion in chunks. A provider that sends it as a whole is as good. */
export async function streamCompletion(
  client: OpenAI,
  request: Omit<OpenAI.ChatCompletionCreateParamsStreaming, 'stream'>,
  options: { readonly signal: AbortSignal; readonly headers: Record<string, string> },
  { onHeaders, onText }: StreamListeners,
): Promise<StreamedCompletion> {
  const streamed = { ...request, stream: true as const, stream_options: { include_usage: true } };
  const pending = client.chat.completions.create(streamed, options);
  const response = await pending.asResponse();
  onHeaders();
  if (response.headers.get('content-type')?.includes('json'))
    return (await response.json()) as StreamedCompletion;
  return readStream(await pending, options.signal, onText);
}

/** Reads a completion that is sent in chunks; `onText` gets the pieces of its text. Rejects where it was cut short. */
async function readStream(
  chunks: AsyncIterable<Chunk>,
  signal: AbortSignal,
  onText: (piece: string) => void,
): Promise<StreamedCompletion> {
  const message: { content: string; tool_calls: StreamedCall[] } = { content: '', tool_calls: [] };
  let model = '';
  let usage: StreamedCompletion['usage'];
  let isFinished = false;
  for await (const chunk of explainErrors(chunks)) {
    model ||= typeof chunk?.model === 'string' ? chunk.model : '';
    usage = chunk?.usage ?? usage;
    const choice = chunk?.choices?.[0];
    const text = choice?.delta?.content;
    if (typeof text === 'string' && text !== '') {
      message.content += text;
      onText(text);
    }
    addCalls(message.tool_calls, choice?.delta?.tool_calls);
    isFinished ||= Boolean(choice?.finish_reason);
  }
  // The library ends the chunks of an aborted request, as if they were all.
  if (signal.aborted) throw new APIUserAbortError();
  if (!isFinished) throw new UnusableAnswerError('cut short');
  return { model, usage, choices: [{ message }] };
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
