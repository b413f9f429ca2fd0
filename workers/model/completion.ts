import type OpenAI from 'openai';
import type { ToolCall } from './model-message.ts';

const MAX_ANSWER_LENGTH = 100_000;
/** Further calls of one answer are dropped here; how many of the others are run is up to the caller. */
const MAX_PARSED_CALLS = 64;
/** Much longer than the ids of providers and the names of functions. */
const MAX_NAME_LENGTH = 200;

/** The provider answered, but with nothing that can be sent to a person. */
export class UnusableAnswerError extends Error {
  readonly reason: 'empty' | 'too long' | 'too large' | 'cut short';

  constructor(reason: UnusableAnswerError['reason']) {
    super(`the answer is ${reason}`);
    this.reason = reason;
  }
}

export interface AnswerContent {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
}

/** Reads and checks the answer of a completion. The library checks nothing: `200 {}` resolves too. */
export function readAnswer(
  completion: unknown,
  expected: { mayCall: boolean; mayBeEmpty: boolean },
): AnswerContent {
  const message = (completion as OpenAI.ChatCompletion | null)?.choices?.[0]?.message;
  const text = typeof message?.content === 'string' ? message.content : '';
  const toolCalls = expected.mayCall ? readCalls(message?.tool_calls) : [];
  const isEmpty = text.trim() === '' && toolCalls.length === 0;
  if (isEmpty && !(expected.mayBeEmpty && message)) throw new UnusableAnswerError('empty');
  const length = toolCalls.reduce((sum, call) => sum + call.arguments.length, text.length);
  if (length > MAX_ANSWER_LENGTH) throw new UnusableAnswerError('too long');
  return { text: text.replaceAll('\0', '').toWellFormed(), toolCalls };
}

function readCalls(calls: unknown): ToolCall[] {
  if (!Array.isArray(calls)) return [];
  const ids = new Set<string>();
  return calls.slice(0, MAX_PARSED_CALLS).flatMap((call: unknown, at) => {
    const { id, function: wanted } = (call ?? {}) as { id?: unknown; function?: Record<string, unknown> };
    const name = wanted?.['name'];
    if (!isShortText(name)) return [];
    const args = wanted?.['arguments'];
    // Without a unique id, the results of two calls could not be told apart.
    const callId = isShortText(id) && id !== '' && !ids.has(id) ? id : `call_${at}`;
    ids.add(callId);
    return [{ id: callId, name, arguments: typeof args === 'string' ? args : '{}' }];
  });
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_NAME_LENGTH;
}

/** The count is summed and reported, so an invalid one counts as 0. */
export function readTokens(completion: unknown): number {
  const tokens = (completion as OpenAI.ChatCompletion | null)?.usage?.total_tokens;
  return Number.isSafeInteger(tokens) ? Math.max(tokens as number, 0) : 0;
}
