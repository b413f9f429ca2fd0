import type { BodyOf } from '../../queues/contract/operations/index.ts';
import type { PaymentSources } from '../domain/payment-origin.ts';
import type { OpenTurn } from './open-turn.ts';

/** Of the flow all its steps: what it said in an earlier turn counts, too. */
function flowTextsOf({ flowState }: Pick<OpenTurn, 'flowState'>): string[] {
  if (!flowState) return [];
  const steps = flowState.flow.steps.flatMap(({ content, description }) => [content, description]);
  return [...steps, ...flowState.agents.map(({ description }) => description)];
}

/** Names too: whoever sends a dialogue may have them from the person. */
function sentByUser({ originalDialogue = [] }: BodyOf<'reason'>): string[] {
  return originalDialogue.flatMap(item => {
    if (typeof item === 'string') return [item];
    return item.role === 'user' ? [item.name ?? '', item.content] : [];
  });
}

/**
 * Where the payment codes of an answer may come from: what was given to the turn, and what the person wrote. `userTexts`
 * are the user's messages of the whole conversation: what the assistant repeated may be older than what the model reads.
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
  const said = (...roles: string[]) =>
    context.dialogue.filter(({ role }) => roles.includes(role)).map(({ content }) => content);
  return {
    given: [
      avatar.promptEnvelop,
      ...flowTextsOf(open),
      ...context.chunks.map(chunk => chunk.body),
      contextData ?? '',
      dialogueInsertString ?? '',
      reasoningConfig?.rebounceInstructions ?? '',
      JSON.stringify(data.globalData),
      ...said('human', 'system'),
      ...results,
    ],
    written: [
      conversation.userName,
      JSON.stringify(data.userData),
      ...userTexts,
      ...sentByUser(body),
      question ?? '',
    ],
  };
}
