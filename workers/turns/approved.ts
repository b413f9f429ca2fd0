import type { GivenAnswer } from '../../db/assistants/approved-answers.ts';
import { askedKeyOf, matchApproved } from '../domain/approved/match-approved.ts';
import { SILENCE } from './ask.ts';
import type { AskedModel, ClaimedTurn, FlowState, ReadTurn } from './turn.ts';

/** What the question of the turn asks; undefined if no approved answer may be given, whatever it asks. */
export function approvedKeyOf({ job, input, conversation, openQuestions }: ClaimedTurn): string | undefined {
  const { choice, reasoningConfig } = job.body;
  if (conversation.attended || job.attachments || openQuestions > 0) return undefined;
  if (input.question === undefined || choice !== undefined || reasoningConfig?.rebounce) return undefined;
  return askedKeyOf(input.question);
}

/** Nothing is approved for what may be the answer to a question of the flow, or a choice that it offered. */
export function findApproved(
  { input }: ClaimedTurn,
  given: readonly GivenAnswer[],
  flowState: FlowState | undefined,
): GivenAnswer | undefined {
  const { asks, chosen } = flowState ?? {};
  const isForFlow =
    asks !== undefined && (asks.asked !== undefined || asks.opening !== '' || asks.done.length > 0);
  if (given.length === 0 || isForFlow || chosen) return undefined;
  return matchApproved(input.question ?? '', given);
}

/** The approved text is the whole answer, and no model is asked. */
export function approvedAnswerOf({ approved }: ReadTurn): AskedModel | undefined {
  return approved && { ...SILENCE, answer: { text: approved.answer, model: '', isTruncated: false } };
}
