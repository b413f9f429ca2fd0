import { maskJson, maskValue, unmaskJson } from '../domain/masking/mask-value.ts';
import { type Masking, withKnownAddresses } from '../domain/masking/masking.ts';
import { MASK_EXPLANATION } from '../domain/prompts/mask-text.ts';
import type { AnswerContent } from './completion.ts';
import type { ModelMessage } from './model-message.ts';

/*
 * The only way of texts to a model, and back: what a request contains is masked here, whoever wrote it, and an answer is
 * unmasked before anybody reads it. Left out are the names of the roles and ids of calls, which the model gave.
 */

interface Described {
  readonly tools?: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: Schema;
  }[];
  readonly answerSchema?: { readonly name: string; readonly schema: Schema };
}

type Schema = Readonly<Record<string, unknown>>;

/** In steps, because a request may have megabytes. */
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

/** The explanation follows the first instructions. */
function explain([first, ...others]: readonly ModelMessage[]): ModelMessage[] {
  if (first?.role !== 'system')
    return [{ role: 'system', content: MASK_EXPLANATION }, ...(first ? [first] : []), ...others];
  return [{ ...first, content: `${first.content}\n\n${MASK_EXPLANATION}` }, ...others];
}

/** The descriptions and schemas of tools and answers; the names of tools stay, because calls refer to them. */
export function* maskDescriptions<T extends Described>(options: T, masking: Masking): Generator<void, T> {
  if (!masking.isOn) return options;
  const { tools, answerSchema } = options;
  const masked: NonNullable<Described['tools']>[number][] = [];
  for (const { name, description, parameters } of tools ?? []) {
    masked.push({
      name,
      description: masking.mask(description),
      parameters: maskValue(parameters, masking) as Schema,
    });
    yield;
  }
  const schema = answerSchema && (maskValue(answerSchema.schema, masking) as Schema);
  return {
    ...options,
    ...(tools ? { tools: masked } : {}),
    ...(answerSchema && schema ? { answerSchema: { name: answerSchema.name, schema } } : {}),
  };
}

/** For the answer to these messages. An address that a tool gave, or the model made before, is none that a value may go to. */
export function toAnswerMasking(masking: Masking, sent: readonly ModelMessage[]): Masking {
  const told = sent.filter(({ role }) => role === 'system' || role === 'user');
  return withKnownAddresses(
    masking,
    told.map(({ content }) => content),
  );
}

export function unmaskAnswer(
  { text, toolCalls }: AnswerContent,
  { answerSchema, masking }: Pick<Described, 'answerSchema'> & { readonly masking: Masking },
): AnswerContent {
  return {
    text: answerSchema ? unmaskJson(text, masking) : masking.unmask(text),
    toolCalls: toolCalls.map(call => ({ ...call, arguments: unmaskJson(call.arguments, masking) })),
  };
}
