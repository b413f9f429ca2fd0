import type { BodyOf } from '../../queues/contract/operations/index.ts';
import type { PaymentSources } from '../domain/payments/payment-origin.ts';
import type { OpenTurn } from './open-turn.ts';

/** Texts of all steps of the flow: a message of an earlier turn counts, too. */
function flowTextsOf({ flowState }: Pick<OpenTurn, 'flowState'>): string[] {
  if (!flowState) return [];
  const steps = flowState.flow.steps.flatMap(({ content, description }) => [content, description]);
  return [...steps, ...flowState.agents.map(({ description }) => description)];
}

/** Includes the names: the caller may have them from the end user. */
function dialogueTextsOf({ originalDialogue = [] }: BodyOf<'reason'>): string[] {
  return originalDialogue.flatMap(item => {
    if (typeof item === 'string') return [item];
    return item.role === 'user' ? [item.name ?? '', item.content] : [];
  });
}

/**
 * The texts that payment codes of an answer may come from: what was given to the turn, and what the end user wrote.
 * `userTexts` are the user's messages of the whole conversation: a repeated code may be older than the prompt's dialogue.
 */
export function paymentSourcesOf(
  body: BodyOf<'reason'>,
  question: string | undefined,
  open: Pick<OpenTurn, 'avatar' | 'conversation' | 'data' | 'context' | 'flowState'>,
  results: readonly string[],
  userTexts: readonly string[],
): PaymentSources {
  const { avatar, conversation, data, context } = open;
  const { contextData, dialogueInsertString, reasoningConfig } = body;
  const textsBy = (...roles: string[]) =>
    context.dialogue.filter(({ role }) => roles.includes(role)).map(({ content }) => content);
  return {
    trustedTexts: [
      avatar.promptEnvelop,
      ...flowTextsOf(open),
      ...context.chunks.map(chunk => chunk.body),
      contextData ?? '',
      dialogueInsertString ?? '',
      reasoningConfig?.rebounceInstructions ?? '',
      JSON.stringify(data.globalData),
      ...textsBy('human', 'system'),
      ...results,
    ],
    userTexts: [
      conversation.userName,
      JSON.stringify(data.userData),
      ...userTexts,
      ...dialogueTextsOf(body),
      question ?? '',
    ],
  };
}
