import type { UnsupportedAction } from '../../db/assistants/avatars.ts';
import type { Db } from '../../db/connection.ts';
import { readUserTexts } from '../../db/conversations/messages.ts';
import { withHost } from '../../db/with-hosts.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { type Span, splitSentences } from '../../text/sentences.ts';
import type { AnswerGrounds } from '../domain/alignment/answer-grounds.ts';
import { type CheckedAnswer, checkAnswer } from '../domain/alignment/check-answer.ts';
import { saysNotFound } from '../domain/gaps/says-not-found.ts';
import { makePaymentTrust, type PaymentSources } from '../domain/payments/payment-origin.ts';
import type { DialogueItem } from '../domain/prompts/prompt.ts';
import { isPayment } from '../domain/wpp-parsed/wpp-item.ts';
import { parseWppSteps, type WppItem, type WppParsed } from '../domain/wpp-parsed/wpp-parsed.ts';
import type { HandlerJob } from '../runtime/job.ts';
import { runInSlices } from '../runtime/run-in-slices.ts';
import { withholdSentences } from './stream.ts';
import type { Effects, OpenTurn, TurnInput } from './turn.ts';

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
  { results, effects }: { readonly results: readonly string[]; readonly effects: Effects },
): Promise<ReviewedAnswer> {
  const grounds = answerGroundsOf(job, input, open, results);
  const checked = await checkTurnAnswer(text, grounds, open, job.signal);
  if (checked.check.action === 'handoff') effects.handover ??= { by: 'check', reason: 'missing_knowledge' };
  return { checked, parsed: await parseAnswer(db, job, input, open, { text: checked.text, results }) };
}

type Response = DataOf<'reason'>;

/** What the answer stands on. */
export interface AnswerCheck {
  readonly sources: Response['sources'];
  readonly unsupported: Response['unsupported'];
  /** For the receipt: what was found in the answer as the model gave it, and what was done. */
  readonly check: {
    readonly action: 'none' | UnsupportedAction;
    readonly unsupported: readonly { readonly kind: string; readonly text: string }[];
  };
}

export const NO_CHECK: AnswerCheck = {
  sources: [],
  unsupported: [],
  check: { action: 'none', unsupported: [] },
};

type Checkable = Pick<OpenTurn, 'avatar' | 'conversation' | 'data' | 'context' | 'flowState'>;

/** The texts that the answer may rest on. The assistant's own earlier figures are no source for themselves. */
export function answerGroundsOf(
  { body }: Pick<HandlerJob<'reason'>, 'body'>,
  { question }: TurnInput,
  open: Checkable,
  results: readonly string[],
): AnswerGrounds {
  const { conversation, data, context } = open;
  return {
    question: question ?? '',
    passages: context.chunks.map(chunk => chunk.body),
    standing: standingTextsOf(open),
    others: [
      ...results,
      ...contextTextsOf(body, open),
      ...context.dialogue.map(supportedTextOf),
      conversation.userName,
      JSON.stringify(data.userData),
    ].filter(text => text !== '' && text !== '{}'),
  };
}

/** Without the figures that stood nowhere when it was said. */
function supportedTextOf({ content, unsupported = [] }: DialogueItem): string {
  let text = '';
  let done = 0;
  for (const { from, to } of unsupported) {
    text += content.slice(done, from);
    done = to;
  }
  return text + content.slice(done);
}

/** Checks the answer, and withholds what it has to. The offsets are those of the returned text. */
export async function checkTurnAnswer(
  answer: string,
  grounds: AnswerGrounds,
  { avatar: { onUnsupported }, context: { chunks } }: Checkable,
  signal: AbortSignal,
): Promise<AnswerCheck & { readonly text: string }> {
  if (answer === '') return { ...NO_CHECK, text: answer };
  const found = await runInSlices(checkAnswer(answer, grounds), signal);
  const unsupported = found.unsupported
    .filter(({ elsewhere }) => !elsewhere)
    .map(({ kind, text }) => ({ kind, text }));
  const action = unsupported.length === 0 ? 'none' : onUnsupported;
  const text = action === 'withhold' ? await withholdSentences(answer, grounds, signal) : answer;
  const checked = text === answer ? found : await runInSlices(checkAnswer(text, grounds), signal);
  return {
    text,
    sources: sourcesOf(checked, chunks, saysNotFound(answer) ? findRefusal(text) : text.length),
    unsupported: checked.unsupported.map(figure => ({ ...figure })),
    check: { action, unsupported },
  };
}

/** Where the answer begins to say that it does not have what was asked. */
function findRefusal(text: string): number {
  const isRefusal = ({ from, to }: Span) => saysNotFound(text.slice(from, to));
  return splitSentences(text).find(isRefusal)?.from ?? 0;
}

/** A refusal, and what it offers instead, stands on no passage, although it names their subjects. */
function sourcesOf(
  { sources }: CheckedAnswer,
  chunks: OpenTurn['context']['chunks'],
  refusal: number,
): Response['sources'] {
  return sources.flatMap(({ passage, sentences: carried }) => {
    const chunk = chunks[passage];
    const sentences = carried.filter(({ from }) => from < refusal);
    if (!chunk || sentences.length === 0) return [];
    const { chunkId, datasetId, documentId, documentTitle: title } = chunk;
    const ofDocument = documentId === null ? {} : { documentId, title: title ?? '' };
    return [{ chunkId, datasetId, ...ofDocument, sentences: sentences.map(span => ({ ...span })) }];
  });
}

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
