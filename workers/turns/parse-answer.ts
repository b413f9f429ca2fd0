import type { Db } from '../../db/connection.ts';
import { readUserTexts } from '../../db/conversations/messages.ts';
import { withHost } from '../../db/with-hosts.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { makePaymentTrust, type PaymentSources } from '../domain/payments/payment-origin.ts';
import { isPayment } from '../domain/wpp-parsed/wpp-item.ts';
import { parseWppSteps, type WppItem, type WppParsed } from '../domain/wpp-parsed/wpp-parsed.ts';
import type { HandlerJob } from '../runtime/job.ts';
import { runInSlices } from '../runtime/run-in-slices.ts';
import { contextTextsOf, standingTextsOf } from './given-texts.ts';
import type { TurnInput } from './input.ts';
import type { OpenTurn } from './open-turn.ts';

/** A code that the end user wrote earlier is not recognized as theirs. */
const USER_TEXT_LIMITS = { messages: 2_000, bytes: 4 * 1_048_576 };

/** Parses the answer. One with a payment code is parsed again, with the sources that the code may come from. */
export async function parseAnswer(
  db: Db,
  { hostId, body }: HandlerJob<'reason'>,
  { question }: TurnInput,
  open: OpenTurn,
  { text, results }: { readonly text: string; readonly results: readonly string[] },
): Promise<WppParsed> {
  const payments: WppItem[] = [];
  const parsed = await runInSlices(parseWppSteps(text, payment => payments.push(payment) > 0));
  if (!parsed.items.some(isPayment)) return parsed;
  const userTexts = await withHost(db, hostId, scope =>
    readUserTexts(scope, body.conversationId, USER_TEXT_LIMITS),
  );
  const sources = paymentSourcesOf(body, question, open, results, userTexts);
  const isTrusted = await runInSlices(makePaymentTrust(payments, sources));
  return runInSlices(parseWppSteps(text, isTrusted));
}

/**
 * The texts that payment codes of an answer may come from: what was given to the turn, and what the end user wrote.
 * `userTexts` are the end user's messages of the whole conversation: a repeated code may be older than the prompt's dialogue.
 */
function paymentSourcesOf(
  body: BodyOf<'reason'>,
  question: string | undefined,
  open: Pick<OpenTurn, 'avatar' | 'conversation' | 'data' | 'context' | 'flowState'>,
  results: readonly string[],
  userTexts: readonly string[],
): PaymentSources {
  const { conversation, data, context } = open;
  const textsBy = (...roles: string[]) =>
    context.dialogue.filter(({ role }) => roles.includes(role)).map(({ content }) => content);
  return {
    trustedTexts: [
      ...standingTextsOf(open),
      ...contextTextsOf(body, open),
      ...context.chunks.map(chunk => chunk.body),
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

/** Includes the names: the caller may have them from the end user. */
function dialogueTextsOf({ originalDialogue = [] }: BodyOf<'reason'>): string[] {
  return originalDialogue.flatMap(item => {
    if (typeof item === 'string') return [item];
    return item.role === 'user' ? [item.name ?? '', item.content] : [];
  });
}
