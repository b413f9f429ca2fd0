import { maskJson, maskValue, unmaskJson } from '../domain/masking/mask-value.ts';
import { type Masking, withKnownAddresses } from '../domain/masking/masking.ts';
import { MASK_EXPLANATION } from '../domain/prompts/prompt.ts';
import type { AnswerForm, ModelMessage, OfferedTool, Schema, ToolCall } from './provider.ts';

/*
 * Every text to a model and back passes here: a request is masked, whoever wrote it, and an answer is unmasked before anybody
 * reads it. Names of roles, and ids of calls, which the model gave, are left out.
 */

export interface AnswerContent {
  /** Empty only with tool calls, or where that is allowed. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
}

/** Works in steps, because a request may have megabytes. */
export function* maskMessages(
  messages: readonly ModelMessage[],
  masking: Masking,
): Generator<void, readonly ModelMessage[]> {
  if (!masking.isOn) return messages;
  const masked: ModelMessage[] = [];
  for (const message of messages) {
    const content = yield* masking.maskSteps(message.content);
    if (!('toolCalls' in message)) masked.push({ ...message, content });
    else
      masked.push({
        ...message,
        content,
        toolCalls: message.toolCalls.map(call => ({ ...call, arguments: maskJson(call.arguments, masking) })),
      });
  }
  return explain(masked);
}

/** Adds the explanation of the tokens after the first instructions. */
function explain([first, ...others]: readonly ModelMessage[]): ModelMessage[] {
  if (first?.role !== 'system')
    return [{ role: 'system', content: MASK_EXPLANATION }, ...(first ? [first] : []), ...others];
  return [{ ...first, content: `${first.content}\n\n${MASK_EXPLANATION}` }, ...others];
}

/** Masks the descriptions and schemas of tools and answers. Names of tools stay, because calls refer to them. */
export function* maskDescriptions(form: AnswerForm, masking: Masking): Generator<void, AnswerForm> {
  if (!masking.isOn) return form;
  const { tools, answerSchema } = form;
  const masked: OfferedTool[] = [];
  for (const { name, description, parameters } of tools ?? []) {
    masked.push({
      name,
      description: masking.mask(description),
      parameters: maskValue(parameters, masking) as Schema,
    });
    yield;
  }
  return {
    ...form,
    tools: tools && masked,
    answerSchema: answerSchema && {
      name: answerSchema.name,
      schema: maskValue(answerSchema.schema, masking) as Schema,
    },
  };
}

/** Returns the masking for the answer: no value may go to an address that a tool gave, or that the model made before. */
export function toAnswerMasking(masking: Masking, sent: readonly ModelMessage[]): Masking {
  const told = sent.filter(({ role }) => role === 'system' || role === 'user');
  return withKnownAddresses(
    masking,
    told.map(({ content }) => content),
  );
}

export function unmaskAnswer(
  { text, toolCalls }: AnswerContent,
  isJson: boolean,
  masking: Masking,
): AnswerContent {
  return {
    text: isJson ? unmaskJson(text, masking) : masking.unmask(text),
    toolCalls: toolCalls.map(call => ({ ...call, arguments: unmaskJson(call.arguments, masking) })),
  };
}
