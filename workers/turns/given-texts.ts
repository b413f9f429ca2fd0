import type { BodyOf } from '../../queues/contract/operations/index.ts';
import type { OpenTurn } from './open-turn.ts';

/** The texts of the host that come in many turns: prompt and flow. */
export function standingTextsOf(open: Pick<OpenTurn, 'avatar' | 'flowState'>): string[] {
  return [open.avatar.promptEnvelop, ...flowTextsOf(open)].filter(text => text !== '');
}

/** The context that the caller gave to this turn, and the clock. */
export function contextTextsOf(
  body: BodyOf<'reason'>,
  { data, context }: Pick<OpenTurn, 'data' | 'context'>,
): string[] {
  const { contextData, dialogueInsertString, reasoningConfig } = body;
  return [
    contextData ?? '',
    dialogueInsertString ?? '',
    reasoningConfig?.rebounceInstructions ?? '',
    JSON.stringify(data.globalData),
    context.clock,
  ];
}

/** Texts of all steps of the flow: a message of an earlier turn counts, too. */
function flowTextsOf({ flowState }: Pick<OpenTurn, 'flowState'>): string[] {
  if (!flowState) return [];
  const steps = flowState.flow.steps.flatMap(({ content, description }) => [content, description]);
  return [...steps, ...flowState.agents.map(({ description }) => description)];
}
