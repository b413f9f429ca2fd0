import { randomBytes } from 'node:crypto';
import { type ChatRequest, MODEL_ID } from './chat-request.ts';
import type { Reply } from './reply.ts';
import { countTokens, truncateToTokens } from './token-count.ts';

/** A completion, before it is serialized as one body or as a stream. */
export interface Completion {
  readonly id: string;
  readonly created: number;
  readonly reply: Reply;
  readonly callId: string;
  readonly finishReason: 'length' | 'stop' | 'tool_calls';
  readonly usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

const makeHexId = (prefix: string) => `${prefix}${randomBytes(12).toString('hex')}`;
// Tokens that the chat format of OpenAI adds to each message and to the reply.
const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_REPLY = 3;

function countPromptTokens({ messages, tools }: ChatRequest): number {
  const messageTokens = messages.reduce(
    (sum, { text }) => sum + countTokens(text) + TOKENS_PER_MESSAGE,
    TOKENS_PER_REPLY,
  );
  return tools.length > 0 ? messageTokens + countTokens(JSON.stringify(tools)) : messageTokens;
}

function truncateReply(reply: Reply, maxTokens: number | undefined): Reply {
  if (maxTokens === undefined || reply.kind !== 'text') return reply;
  return { kind: 'text', text: truncateToTokens(reply.text, maxTokens) };
}

function findFinishReason(full: Reply, sent: Reply): Completion['finishReason'] {
  if (sent.kind === 'call' || full.kind === 'call') return 'tool_calls';
  return sent.text.length < full.text.length ? 'length' : 'stop';
}

export function makeCompletion(request: ChatRequest, full: Reply): Completion {
  const reply = truncateReply(full, request.maxTokens);
  const promptTokens = countPromptTokens(request);
  const replyTokens = countTokens(reply.kind === 'text' ? reply.text : reply.tool + reply.args);
  return {
    id: makeHexId('chatcmpl-'),
    created: Math.floor(Date.now() / 1000),
    reply,
    callId: makeHexId('call_'),
    finishReason: findFinishReason(full, reply),
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: replyTokens,
      total_tokens: promptTokens + replyTokens,
    },
  };
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

/** Words with their leading space; joined they are the exact text. */
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
