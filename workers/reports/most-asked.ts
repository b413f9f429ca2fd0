import { randomUUID } from 'node:crypto';
import { findConversations, readSaidByUsers, type SaidByUser } from '../../db/reports/answers.ts';
import type { Period } from '../../db/reports/counted-period.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import { MAX_IDS } from '../../queues/contract/operations/gap-shape.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { MAX_QUESTION_MESSAGES } from '../../queues/contract/operations/insight-reports.ts';
import { groupQuestions } from '../domain/gaps/group-questions.ts';
import { isQuestion, questionWordsOf } from '../domain/gaps/question-words.ts';
import { maskAlone } from '../domain/masking/masking.ts';

export type AskedQuestion = NonNullable<DataOf<'getOutcomes'>['questions']>[number];

const MAX_CHARACTERS = 2_000;
/** A question of fewer words depends on what was said before: "e demora?" */
const LEAST_WORDS = 2;

/** Reads the messages that contain the questions of the period. */
export function readSaid(scope: HostScope, { start, end }: Period): Promise<SaidByUser[]> {
  return readSaidByUsers(scope, { start, end, messages: MAX_QUESTION_MESSAGES }, MAX_CHARACTERS);
}

/**
 * Finds what most conversations asked, grouped as gaps are, but anew for each report: nothing of it is stored. Questions of
 * only one conversation are left out. Takes seconds if no two of thousands are alike, so no connection is held meanwhile.
 */
export async function findMostAsked(
  said: readonly SaidByUser[],
  limit: number,
  signal: AbortSignal | undefined,
): Promise<AskedQuestion[]> {
  const asked = await runInSlices(findQuestions(said), signal);
  const words = asked.map(each => each.words);
  const groups = await runInSlices(groupQuestions([], words, randomUUID), signal);
  const byGroup = new Map<string, Question[]>();
  for (const [nth, each] of asked.entries()) {
    const group = groups[nth] ?? '';
    const alike = byGroup.get(group);
    if (alike) alike.push(each);
    else byGroup.set(group, [each]);
  }
  return [...byGroup.values()]
    .map(entryOf)
    .filter(({ count }) => count > 1)
    .toSorted((a, b) => b.count - a.count || (a.lastAskedAt < b.lastAskedAt ? 1 : -1))
    .slice(0, limit)
    .map(entry => ({ ...entry, question: maskAlone(entry.question) }));
}

/** Drops the questions whose conversation was deleted while they were grouped. */
export async function dropErased(
  scope: HostScope,
  asked: readonly AskedQuestion[],
): Promise<AskedQuestion[]> {
  const there = await findConversations(
    scope,
    asked.flatMap(({ conversations }) => conversations.slice(0, 1)),
  );
  return asked.filter(({ conversations: [newest = ''] }) => there.has(newest));
}

interface Question extends SaidByUser {
  readonly words: readonly string[];
}

function* findQuestions(said: readonly SaidByUser[]): Generator<void, Question[]> {
  const questions: Question[] = [];
  for (const each of said) {
    const words = isQuestion(each.content) ? questionWordsOf(each.content) : [];
    if (words.length >= LEAST_WORDS) questions.push({ ...each, words });
    yield;
  }
  return questions;
}

/** The newest question is shown: its conversation is among the ids, so a stored reply is erased with its person. */
function entryOf(questions: readonly Question[]): AskedQuestion {
  const [newest] = questions;
  const conversations = [...new Set(questions.map(({ conversationId }) => conversationId))];
  return {
    question: newest?.content ?? '',
    count: conversations.length,
    conversations: conversations.slice(0, MAX_IDS),
    lastAskedAt: newest?.at.toISOString() ?? '',
  };
}
