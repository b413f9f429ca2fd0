import { randomBytes } from 'node:crypto';
import { type ChatRequest, MODEL_ID } from './chat-request.ts';
import type { Reply } from './reply.ts';

/** A completion, before it is serialized as one body or as a stream. */
export interface Completion {
  readonly id: string;
  readonly created: number;
  readonly reply: Reply;
  readonly callId: string;
  readonly finishReason: 'length' | 'stop' | 'tool_calls';
  readonly usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

/* The chat format of OpenAI adds these tokens to each message and to the reply. */
const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_REPLY = 3;

export function makeCompletion(
  { messages, tools, maxTokens = Infinity }: ChatRequest,
  full: Reply,
): Completion {
  const reply = full.kind === 'call' ? full : { ...full, text: truncateToTokens(full.text, maxTokens) };
  const isCut = reply.kind === 'text' && full.kind === 'text' && reply.text.length < full.text.length;
  const prompt_tokens =
    messages.reduce((sum, { text }) => sum + countTokens(text) + TOKENS_PER_MESSAGE, TOKENS_PER_REPLY) +
    (tools.length > 0 ? countTokens(JSON.stringify(tools)) : 0);
  const completion_tokens = countTokens(reply.kind === 'text' ? reply.text : reply.tool + reply.args);
  return {
    id: makeHexId('chatcmpl-'),
    created: Math.floor(Date.now() / 1000),
    reply,
    callId: makeHexId('call_'),
    finishReason: reply.kind === 'call' ? 'tool_calls' : isCut ? 'length' : 'stop',
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  };
}

function makeHexId(prefix: string): string {
  return `${prefix}${randomBytes(12).toString('hex')}`;
}

function makeCommonFields({ id, created }: Completion, object: string): object {
  return { id, object, created, model: MODEL_ID, system_fingerprint: MODEL_ID };
}

function makeToolCalls({ reply, callId }: Completion): object[] | undefined {
  if (reply.kind !== 'call') return undefined;
  return [{ id: callId, type: 'function', function: { name: reply.tool, arguments: reply.args } }];
}

export function makeCompletionBody(completion: Completion): object {
  const { reply, finishReason, usage } = completion;
  const calls = makeToolCalls(completion);
  const content = reply.kind === 'text' ? reply.text : null;
  const message = { role: 'assistant', content, refusal: null, ...(calls && { tool_calls: calls }) };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finishReason }];
  return { ...makeCommonFields(completion, 'chat.completion'), choices, usage };
}

/** Splits into words with their leading space; joined they are the exact text. */
const splitIntoPieces = (text: string) => text.match(/(?<!\s)\s*\S+|(?<!\s)\s+$/g) ?? [];

function makeDeltas(completion: Completion): object[] {
  const { reply, callId } = completion;
  if (reply.kind === 'text') {
    return [{ role: 'assistant', content: '' }, ...splitIntoPieces(reply.text).map(content => ({ content }))];
  }
  const callDelta = { index: 0, id: callId, type: 'function', function: { name: reply.tool, arguments: '' } };
  const argumentDeltas = splitIntoPieces(reply.args).map(args => ({
    tool_calls: [{ index: 0, function: { arguments: args } }],
  }));
  return [{ role: 'assistant', content: null, tool_calls: [callDelta] }, ...argumentDeltas];
}

/** The chunks of a streamed answer in their order. */
export function makeCompletionChunks(completion: Completion, includeUsage: boolean): object[] {
  const commonFields = makeCommonFields(completion, 'chat.completion.chunk');
  const usage = includeUsage ? { usage: null } : {};
  const makeChunk = (delta: object, finishReason: string | null) => ({
    ...commonFields,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    ...usage,
  });
  const chunks: object[] = makeDeltas(completion).map(delta => makeChunk(delta, null));
  chunks.push(makeChunk({}, completion.finishReason));
  if (includeUsage) chunks.push({ ...commonFields, choices: [], usage: completion.usage });
  return chunks;
}

/** Characters per token, within some per cent of o200k_base for Portuguese prose, without its memory and its start. */
const OF_TOKEN = 4.2;

export function countTokens(text: string): number {
  return Math.ceil(text.length / OF_TOKEN);
}

/** Returns as many whole words of a text as fit into this many tokens. */
export function truncateToTokens(text: string, most: number): string {
  const length = Math.floor(most * OF_TOKEN);
  return text.length <= length ? text : text.slice(0, Math.max(0, text.lastIndexOf(' ', length)));
}
