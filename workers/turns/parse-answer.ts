import type { Db } from '../../db/connection.ts';
import { userTextsOf } from '../../db/messages.ts';
import { withHost } from '../../db/with-hosts.ts';
import { makePaymentTrust } from '../domain/payments/payment-origin.ts';
import { parseWppSteps, type WppItem, type WppParsed } from '../domain/wpp-parsed/wpp-parsed.ts';
import type { HandlerJob } from '../runtime/job.ts';
import { runInSlices } from '../runtime/run-in-slices.ts';
import type { TurnInput } from './input.ts';
import type { OpenTurn } from './open-turn.ts';
import { paymentSourcesOf } from './payment-sources.ts';

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
  if (!parsed.items.some(({ type }) => type === 'pix' || type === 'boleto')) return parsed;
  const userTexts = await withHost(db, hostId, scope => userTextsOf(scope, body.conversationId));
  const sources = paymentSourcesOf(body, question, open, results, userTexts);
  const isTrusted = await runInSlices(makePaymentTrust(payments, sources));
  return runInSlices(parseWppSteps(text, isTrusted));
}
