import { randomBytes } from 'node:crypto';
import { type ChatRequest, modelId } from './chat-request.ts';
import type { Reply } from './reply.ts';
import { firstTokens, tokenCount } from './token-count.ts';

/** A completion, before it is serialized as one body or as a stream. */
export interface Completion {
  readonly id: string;
  readonly created: number;
  readonly reply: Reply;
  readonly callId: string;
  readonly finishReason: 'length' | 'stop' | 'tool_calls';
  readonly usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

const hexId = (prefix: string) => `${prefix}${randomBytes(12).toString('hex')}`;
// Tokens that the chat format of OpenAI adds to each message and to the reply.
const tokensAMessage = 4;

function promptTokens({ messages, tools }: ChatRequest): number {
  const texts = messages.reduce((sum, { text }) => sum + tokenCount(text) + tokensAMessage, 3);
  return tools.length > 0 ? texts + tokenCount(JSON.stringify(tools)) : texts;
}

function withinLimit(reply: Reply, most: number | undefined): Reply {
  if (most === undefined || reply.kind !== 'text') return reply;
  return { kind: 'text', text: firstTokens(reply.text, most) };
}

function finishReasonOf(full: Reply, kept: Reply): Completion['finishReason'] {
  if (kept.kind === 'call' || full.kind === 'call') return 'tool_calls';
  return kept.text.length < full.text.length ? 'length' : 'stop';
}

export function makeCompletion(request: ChatRequest, full: Reply): Completion {
  const reply = withinLimit(full, request.maxTokens);
  const prompt = promptTokens(request);
  const completion = tokenCount(reply.kind === 'text' ? reply.text : reply.tool + reply.args);
  return {
    id: hexId('chatcmpl-'),
    created: Math.floor(Date.now() / 1000),
    reply,
    callId: hexId('call_'),
    finishReason: finishReasonOf(full, reply),
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
}

function headOf({ id, created }: Completion, object: string): object {
  return { id, object, created, model: modelId, system_fingerprint: modelId };
}

function toolCallOf({ reply, callId }: Completion): object[] | undefined {
  if (reply.kind !== 'call') return undefined;
  return [{ id: callId, type: 'function', function: { name: reply.tool, arguments: reply.args } }];
}

export function completionBody(completion: Completion): object {
  const { reply, finishReason, usage } = completion;
  const calls = toolCallOf(completion);
  const content = reply.kind === 'text' ? reply.text : null;
  const message = { role: 'assistant', content, refusal: null, ...(calls && { tool_calls: calls }) };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finishReason }];
  return { ...headOf(completion, 'chat.completion'), choices, usage };
}

/** Words with their leading space; joined they are the exact text. */
const piecesOf = (text: string) => text.match(/(?<!\s)\s*\S+|(?<!\s)\s+$/g) ?? [];

function deltasOf(completion: Completion): object[] {
  const { reply, callId } = completion;
  if (reply.kind === 'text') {
    return [{ role: 'assistant', content: '' }, ...piecesOf(reply.text).map(content => ({ content }))];
  }
  const opened = { index: 0, id: callId, type: 'function', function: { name: reply.tool, arguments: '' } };
  const filled = piecesOf(reply.args).map(args => ({
    tool_calls: [{ index: 0, function: { arguments: args } }],
  }));
  return [{ role: 'assistant', content: null, tool_calls: [opened] }, ...filled];
}

/** The chunks of a streamed answer in their order. */
export function completionChunks(completion: Completion, includeUsage: boolean): object[] {
  const head = headOf(completion, 'chat.completion.chunk');
  const usage = includeUsage ? { usage: null } : {};
  const chunk = (delta: object, reason: string | null) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
    ...usage,
  });
  const chunks: object[] = deltasOf(completion).map(delta => chunk(delta, null));
  chunks.push(chunk({}, completion.finishReason));
  if (includeUsage) chunks.push({ ...head, choices: [], usage: completion.usage });
  return chunks;
}
