import type OpenAI from 'openai';
import type { PromptMessage } from '../domain/prompts/prompt.ts';

/** A function call that the model requests, with the arguments as it wrote them: they may be invalid JSON. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** An answer of the model that requests function calls. */
interface CallingMessage {
  readonly role: 'assistant';
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
}

/** The result of one call. */
interface ToolMessage {
  readonly role: 'tool';
  readonly toolCallId: string;
  readonly content: string;
}

export type ModelMessage = PromptMessage | CallingMessage | ToolMessage;

type WireMessage = OpenAI.ChatCompletionMessageParam;

export function wireMessageOf(message: ModelMessage): WireMessage {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
  if (!('toolCalls' in message)) return { ...message };
  const calls = message.toolCalls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function' as const,
    // Providers refuse the whole request because of one invalid name or argument, even one that their model wrote.
    function: { name: validNameOf(name), arguments: isJson(args) ? args : '{}' },
  }));
  return { role: 'assistant', content: message.content || null, tool_calls: calls };
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
