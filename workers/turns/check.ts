import type { GivenAnswer } from '../../db/assistants/approved-answers.ts';
import type { Db } from '../../db/connection.ts';
import { readUserTexts } from '../../db/conversations/messages.ts';
import { withHost } from '../../db/with-hosts.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { saysNotFound } from '../../text/says-not-found.ts';
import { type Span, splitSentences } from '../../text/sentences.ts';
import { type AnswerSupport, checkAnswer, type SourceTexts } from '../domain/alignment/check-answer.ts';
import { makePaymentTrust, type PaymentSources } from '../domain/payments/payment-origin.ts';
import { clockFactsOf } from '../domain/prompts/clock-line.ts';
import { languageTextsOf } from '../domain/prompts/language-texts.ts';
import type { DialogueItem } from '../domain/prompts/prompt.ts';
import { isPayment } from '../domain/wpp-parsed/wpp-item.ts';
import { parseWppSteps, type WppItem, type WppParsed } from '../domain/wpp-parsed/wpp-parsed.ts';
import type { FoundChunk } from '../retrieval/find-knowledge.ts';
import { withholdSentences } from './stream.ts';
import {
  type AskedModel,
  addEffects,
  type CheckReceipt,
  type Effects,
  NO_CHECK,
  NO_EFFECTS,
  type ReadTurn,
} from './turn.ts';

/** Figures that the end user wrote before these messages are not recognized as theirs. */
const USER_TEXT_LIMITS = { messages: 2_000, bytes: 4 * 1_048_576 };

type Response = DataOf<'reason'>;

interface FigureCheck {
  /** The offsets of sources and figures count in this text. */
  readonly text: string;
  readonly sources: Response['sources'];
  readonly unsupported: Response['unsupported'];
  readonly check: CheckReceipt;
}

/** The part of the model's answer that is kept, and what supports it. */
export interface CheckedAnswer extends FigureCheck {
  readonly items: readonly WppItem[];
  readonly warnings: readonly string[];
  /** The effects the model requested, and a handover where the avatar wants one because of the check. */
  readonly effects: Effects;
}

/** Checks the model's answer, withholds what it has to, and parses what is left. */
export async function checkTurnAnswer(
  db: Db,
  turn: ReadTurn,
  { results, effects }: AskedModel,
  answer: { readonly text: string },
): Promise<CheckedAnswer> {
  if (turn.approved) return parseApproved(db, turn, turn.approved);
  const { text, sources, unsupported, check } = await checkFigures(turn, answer.text, results);
  const { items, warnings } = await parseAnswer(db, turn, text, results);
  const handover = { by: 'check', reason: 'missing_knowledge' } as const;
  const all = check.action === 'handoff' ? addEffects(effects, { handover }) : effects;
  return { text, sources, unsupported, check, items, warnings, effects: all };
}

/** Staff approved the text as it is, so nothing of it is checked. */
async function parseApproved(db: Db, turn: ReadTurn, approved: GivenAnswer): Promise<CheckedAnswer> {
  const { id, answer: text, questions, dataset_id } = approved;
  const { items, warnings } = await parseAnswer(db, turn, text, [text]);
  const ofDataset = dataset_id === null ? {} : { datasetId: dataset_id };
  const sentences = [{ from: 0, to: text.length }];
  const sources = [{ approvedAnswerId: id, ...ofDataset, title: questions[0] ?? '', sentences }];
  return { text, sources, unsupported: [], check: NO_CHECK, items, warnings, effects: NO_EFFECTS };
}

/** The avatar's text for a failed model is the host's own, so nothing of it is checked. */
export async function parseFailureText(db: Db, turn: ReadTurn, effects: Effects): Promise<CheckedAnswer> {
  const { failure_text, language } = turn.avatar;
  const text = failure_text.trim() || languageTextsOf(language).failure;
  const { items, warnings } = await parseAnswer(db, turn, text, [text]);
  return { text, sources: [], unsupported: [], check: NO_CHECK, items, warnings, effects };
}

/** The texts that the answer may rest on. The assistant's own earlier figures are no source for themselves. */
export function sourceTextsOf(turn: ReadTurn, results: readonly string[]): SourceTexts {
  const { input, conversation, data, chunks, dialogue, files } = turn;
  return {
    question: input.question ?? '',
    passages: chunks.map(chunk => chunk.body),
    hostTexts: listHostTexts(turn),
    others: [
      ...results,
      ...files.map(({ text }) => text),
      ...listCallTexts(turn),
      ...dialogue.map(supportedTextOf),
      conversation.userName,
      JSON.stringify(data.userData),
    ].filter(text => text !== '' && text !== '{}'),
    clock: clockFactsOf(turn.clock),
  };
}

/** Leaves out the figures that had no source when the item was said. */
function supportedTextOf({ content, unsupported = [] }: DialogueItem): string {
  let text = '';
  let done = 0;
  for (const { from, to } of unsupported) {
    text += content.slice(done, from);
    done = to;
  }
  return text + content.slice(done);
}

async function checkFigures(
  turn: ReadTurn,
  answer: string,
  results: readonly string[],
): Promise<FigureCheck> {
  if (answer === '') return { text: answer, sources: [], unsupported: [], check: NO_CHECK };
  const { signal } = turn.job;
  const sourceTexts = sourceTextsOf(turn, results);
  const found = await runInSlices(checkAnswer(answer, sourceTexts), signal);
  const unsupported = found.unsupported
    .filter(({ elsewhere }) => !elsewhere)
    .map(({ kind, text }) => ({ kind, text }));
  const action = unsupported.length === 0 ? 'none' : turn.avatar.on_unsupported;
  const text =
    action === 'withhold'
      ? await withholdSentences(answer, sourceTexts, { signal, language: turn.avatar.language })
      : answer;
  const checked = text === answer ? found : await runInSlices(checkAnswer(text, sourceTexts), signal);
  return {
    text,
    sources: sourcesOf(checked, turn.chunks, saysNotFound(answer) ? findRefusal(text) : text.length),
    unsupported: checked.unsupported.map(figure => ({ ...figure })),
    check: { action, unsupported },
  };
}

/** Returns where the answer begins to say that it lacks what was asked. */
function findRefusal(text: string): number {
  const isRefusal = ({ from, to }: Span) => saysNotFound(text.slice(from, to));
  return splitSentences(text).find(isRefusal)?.from ?? 0;
}

/** A refusal, and what it offers instead, rests on no passage, although it names their subjects. */
function sourcesOf(
  { sources }: AnswerSupport,
  chunks: readonly FoundChunk[],
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

/** Parses the answer, and parses one with a payment code again with the sources that the code may come from. */
async function parseAnswer(
  db: Db,
  turn: ReadTurn,
  text: string,
  results: readonly string[],
): Promise<WppParsed> {
  const { hostId, body } = turn.job;
  const payments: WppItem[] = [];
  const parsed = await runInSlices(parseWppSteps(text, payment => payments.push(payment) > 0));
  if (!parsed.items.some(isPayment)) return parsed;
  const userTexts = await withHost(db, hostId, scope =>
    readUserTexts(scope, body.conversationId, USER_TEXT_LIMITS),
  );
  const sources = paymentSourcesOf(turn, results, userTexts);
  const isTrusted = await runInSlices(makePaymentTrust(payments, sources));
  return runInSlices(parseWppSteps(text, isTrusted));
}

/**
 * Returns the texts that payment codes of an answer may come from: what the turn was asked with, and what the end user wrote.
 * `userTexts` are the end user's messages of the whole conversation: a repeated code may be older than the prompt's dialogue.
 */
function paymentSourcesOf(
  turn: ReadTurn,
  results: readonly string[],
  userTexts: readonly string[],
): PaymentSources {
  const { job, input, conversation, data, dialogue, chunks } = turn;
  return {
    trustedTexts: [
      ...listHostTexts(turn),
      ...listCallTexts(turn),
      ...chunks.map(chunk => chunk.body),
      ...dialogue.filter(({ role }) => role === 'human' || role === 'system').map(({ content }) => content),
      ...results,
    ],
    userTexts: [
      conversation.userName,
      JSON.stringify(data.userData),
      ...userTexts,
      ...dialogueTextsOf(job.body),
      input.question ?? '',
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

/** The texts of the host that come in many turns: prompt and flow. Those of all steps count, also of steps of earlier turns. */
function listHostTexts({ avatar, flowState }: ReadTurn): string[] {
  const { flow, agents } = flowState ?? { flow: { steps: [] }, agents: [] };
  const ofSteps = flow.steps.flatMap(({ content, description, choices = [] }) => [
    content,
    description,
    ...choices.map(({ title }) => title),
  ]);
  const ofAgents = agents.map(({ description }) => description);
  return [avatar.prompt_envelop, ...ofSteps, ...ofAgents].filter(text => text !== '');
}

/** The context that the caller sent with this turn. */
function listCallTexts({ job, data }: ReadTurn): string[] {
  const { contextData, dialogueInsertString, reasoningConfig } = job.body;
  return [
    contextData ?? '',
    dialogueInsertString ?? '',
    reasoningConfig?.rebounceInstructions ?? '',
    JSON.stringify(data.globalData),
  ];
}
