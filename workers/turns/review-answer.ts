import type { Db } from '../../db/connection.ts';
import type { WppParsed } from '../domain/wpp-parsed/wpp-parsed.ts';
import type { HandlerJob } from '../runtime/job.ts';
import { type AnswerCheck, answerGroundsOf, checkTurnAnswer } from './check-turn-answer.ts';
import type { GeneratedAnswer } from './generate.ts';
import type { TurnInput } from './input.ts';
import type { OpenTurn } from './open-turn.ts';
import { parseAnswer } from './parse-answer.ts';

export interface ReviewedAnswer {
  readonly checked: AnswerCheck & { readonly text: string };
  readonly parsed: WppParsed;
}

/** Checks the model's answer, requests a handover where the avatar wants one because of it, and parses what is left. */
export async function reviewAnswer(
  db: Db,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  open: OpenTurn,
  text: string,
  { results, effects }: Pick<GeneratedAnswer, 'results' | 'effects'>,
): Promise<ReviewedAnswer> {
  const grounds = answerGroundsOf(job, input, open, results);
  const checked = await checkTurnAnswer(text, grounds, open, job.signal);
  if (checked.check.action === 'handoff') effects.handover ??= { by: 'check', reason: 'missing_knowledge' };
  return { checked, parsed: await parseAnswer(db, job, input, open, { text: checked.text, results }) };
}
