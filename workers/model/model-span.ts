import { type Attributes, SpanKind } from '@opentelemetry/api';
import { runInSpan } from '../../platform/span.ts';
import type { TokenUsage } from './prices.ts';
import type { Completion, ModelMessage } from './provider.ts';

/*
 * Spans of model calls, with the attributes of OpenTelemetry's conventions for generative AI. They contain prompts and answers
 * only where the operator asks for it.
 */

interface TracedCall {
  readonly operation: 'chat' | 'embeddings' | 'transcription';
  readonly provider: string;
  readonly model: string;
  readonly purpose: string;
}

/** Runs the call in a span of its own, to which `note` adds what the answer tells. */
export function runInModelSpan<T>(
  { operation, provider, model, purpose }: TracedCall,
  work: (note: (attributes: Attributes) => void) => Promise<T>,
): Promise<T> {
  const attributes = {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    purpose,
  };
  return runInSpan(`${operation} ${model}`, { kind: SpanKind.CLIENT, attributes }, span =>
    work(more => void span.setAttributes(more)),
  );
}

export function attributesOfUsage({ input, output }: TokenUsage): Attributes {
  return { 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output };
}

export function attributesOfAnswer({ model, finishReason }: Completion): Attributes {
  return {
    ...(model === '' ? {} : { 'gen_ai.response.model': model }),
    ...(finishReason === undefined ? {} : { 'gen_ai.response.finish_reasons': [finishReason] }),
  };
}

/** Returns the texts as the provider gets them: masked where the host masks. Pictures are left out. */
export function attributesOfContents(
  messages: readonly ModelMessage[],
  { text = '', toolCalls, finishReason }: Completion,
): Attributes {
  const answer = { role: 'assistant', parts: partsOf({ role: 'assistant', content: text, toolCalls }) };
  return {
    'gen_ai.input.messages': JSON.stringify(
      messages.map(message => ({ role: message.role, parts: partsOf(message) })),
    ),
    'gen_ai.output.messages': JSON.stringify([{ ...answer, finish_reason: finishReason }]),
  };
}

function partsOf(message: ModelMessage): object[] {
  const { content } = message;
  if (message.role === 'tool')
    return [{ type: 'tool_call_response', id: message.toolCallId, response: content }];
  const calls = 'toolCalls' in message ? message.toolCalls : [];
  return [
    ...(content === '' ? [] : [{ type: 'text', content }]),
    ...calls.map(({ id, name, arguments: args }) => ({ type: 'tool_call', id, name, arguments: args })),
  ];
}
