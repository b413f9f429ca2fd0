import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../db/connection.ts';
import { makeRandom } from '../queues/queue-steps.ts';
import { recordsOf } from '../support/conversation-records.ts';
import { makeWav } from '../support/recordings.ts';
import {
  hear,
  type ModelRequest,
  type ModelScript,
  say,
  type TranscriptionScript,
} from '../support/scripted-model.ts';

/** Bursts of questions: planned from a seed, sent, and judged by what is stored. */

/** The pauses before each question, in milliseconds. */
type Plan = readonly number[];

export interface AskedBurst {
  readonly conversationId: string;
  readonly questions: readonly string[];
  readonly replies: readonly BurstReply[];
}

interface BurstReply {
  readonly status: number;
  readonly string: string;
  readonly supersededBy: string | undefined;
}

export interface Asker {
  newConversation(): Promise<string>;
  ask(conversationId: string, question: string): Promise<BurstReply>;
}

const MAX_QUESTIONS = 5;

/** One to five questions; some come in the same instant. */
export function planBursts(seed: number, count: number, maxPauseMs: number): Plan[] {
  const random = makeRandom(seed);
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + random(MAX_QUESTIONS) }, () => (random(4) === 0 ? 0 : random(maxPauseMs))),
  );
}

/** Sends each question without waiting for the answer of the one before. `name` is unique, and so is each question. */
export async function askBurst(
  requester: Asker,
  name: string,
  plan: Plan,
  onAsk: (question: string) => void = () => {},
): Promise<AskedBurst> {
  const conversationId = await requester.newConversation();
  const questions: string[] = [];
  const asked: Promise<BurstReply>[] = [];
  for (const pauseMs of plan) {
    if (pauseMs > 0 && questions.length > 0) await delay(pauseMs);
    const question = `${name}.${questions.length + 1}?`;
    questions.push(question);
    onAsk(question);
    asked.push(requester.ask(conversationId, question));
  }
  return { conversationId, questions, replies: await Promise.all(asked) };
}

const WAV_HEADER = 44;
const SPOKEN_LABEL = '[áudio 0:01] ';

/** A recording from which `hearQuestion` reads the question. */
export function speakQuestion(question: string): object {
  const wav = makeWav(1);
  wav.write(question, WAV_HEADER, 'latin1');
  return { type: 'audio', content_type: 'audio/wav', content_base64: wav.toString('base64') };
}

/** Gives the words of a recording after a while. */
export function hearQuestion(afterMs: number): TranscriptionScript {
  return async (request, response) => {
    await delay(afterMs);
    const [question] = request.bytes.toString('latin1', WAV_HEADER).split('?');
    if (!response.destroyed) await hear(`${question}?`)(request, response);
  };
}

const wordsOf = (content: string) => content.replace(SPOKEN_LABEL, '');

/** Answers, after a while, with the questions that the prompt has since the last answer. */
export function listOpenQuestions(
  answerAfterMs: number,
  onAbort: (question: string) => void = () => {},
): ModelScript {
  return async (request, response: ServerResponse) => {
    const open = openQuestionsIn(request);
    response.once('close', () => response.writableFinished || onAbort(open.at(-1) ?? ''));
    await delay(answerAfterMs);
    if (!response.destroyed) await say(open.join(' '))(request, response);
  };
}

function openQuestionsIn({ messages }: ModelRequest): string[] {
  const said = messages.filter(({ role }) => role !== 'system');
  const answeredUpTo = said.findLastIndex(({ role }) => role === 'assistant');
  return said.slice(answeredUpTo + 1).map(({ content }) => wordsOf(content));
}

export interface Verdict {
  /** Sentences that say what is wrong. */
  readonly faults: readonly string[];
  readonly answers: number;
}

/**
 * Every question is answered by exactly one stored answer, in the order in which they arrived, and every call ends
 * with an answer or with the turn that answers instead. Calls that a client may repeat (503) answer nothing.
 */
export async function judgeBurst(
  db: Db,
  { conversationId, questions, replies }: AskedBurst,
): Promise<Verdict> {
  const { said, turns } = await recordsOf(db, conversationId);
  const answers = said.filter(({ author }) => author === 'assistant').map(({ content }) => content);
  const asked = said.filter(({ author }) => author === 'user').map(({ content }) => wordsOf(content));
  const ids = new Set(turns.map(({ id }) => id));
  // Sent at the same instant, they arrive in any order.
  const arrived = turns.map(({ question }) => question ?? '');
  const isInOrder = (answer: string) => {
    const places = answer.split(' ').map(question => arrived.indexOf(question));
    return places.every((place, at) => at === 0 || place > (places[at - 1] ?? 0));
  };
  const refused = questions.flatMap((question, at) => {
    const status = replies[at]?.status;
    return status === 200 ? [] : `${question} ${status}`;
  });
  const answered = answers.flatMap(answer => answer.split(' '));
  const faults = [
    ...(isSame(asked.toSorted(), questions.toSorted()) ? [] : [`stored questions: ${asked.join(' ')}`]),
    ...(isSame(answered.toSorted(), questions.toSorted()) ? [] : [`answered: ${answers.join(' | ')}`]),
    ...(answers.every(isInOrder) ? [] : [`not in order: ${answers.join(' | ')}`]),
    ...(refused.length === 0 ? [] : [`refused: ${refused.join(', ')}`]),
    ...replies.flatMap(({ status, string, supersededBy }) => {
      const isRight = supersededBy === undefined ? string !== '' : string === '' && ids.has(supersededBy);
      return status !== 200 || isRight ? [] : [`reply "${string}" superseded by ${supersededBy}`];
    }),
  ];
  return { faults, answers: answers.length };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.join(' ') === other.join(' ');
}
