import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connection.ts';
import {
  type GapReason,
  listHostsWithGapsToGroup,
  lockGapsToGroup,
  type QuestionToGroup,
  readGapWords,
  readQuestionsToGroup,
  storeGroupedQuestions,
} from '../../db/gap-questions.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { groupQuestions } from '../domain/gaps/group-questions.ts';
import { questionWordsOf } from '../domain/gaps/question-words.ts';
import { runInSlices } from '../runtime/run-in-slices.ts';

/** Told of each question that was grouped. */
export type GapListener = (reason: GapReason) => void;

const BATCH_SIZE = 500;
/** A question is compared with those of the gaps that were asked for last. */
const MAX_GAPS = 5_000;

/** Groups the questions of this host that are not grouped yet. */
export async function groupGaps(db: Db, hostId: string, onGap: GapListener): Promise<void> {
  for (;;) {
    const batch = await withHost(db, hostId, groupBatch);
    for (const { reason } of batch.grouped) onGap(reason);
    if (batch.read < BATCH_SIZE) return;
  }
}

/** Groups those of all hosts. */
export async function groupAllGaps(db: Db, onGap: GapListener): Promise<void> {
  for (const hostId of await listHostsWithGapsToGroup(db)) await groupGaps(db, hostId, onGap);
}

async function groupBatch(scope: HostScope): Promise<{ read: number; grouped: readonly QuestionToGroup[] }> {
  if (!(await lockGapsToGroup(scope))) return { read: 0, grouped: [] };
  const read = await readQuestionsToGroup(scope, BATCH_SIZE);
  const worded = read.map(question => ({ question, words: questionWordsOf(question.content) }));
  const asking = worded.filter(({ words }) => words.length > 0);
  const known = await readGapWords(scope, MAX_GAPS);
  const asked = asking.map(({ words }) => words);
  const groups = await runInSlices(groupQuestions(known, asked, randomUUID));
  const grouped = asking.map(({ question: { messageSeq }, words }, at) => ({
    messageSeq,
    words,
    gapId: groups[at] ?? '',
  }));
  const asksNothing = worded.filter(({ words }) => words.length === 0);
  await storeGroupedQuestions(
    scope,
    grouped,
    asksNothing.map(({ question }) => question.messageSeq),
  );
  return { read: read.length, grouped: asking.map(({ question }) => question) };
}
