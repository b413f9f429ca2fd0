import { randomUUID } from 'node:crypto';
import {
  type GapReason,
  listHostsWithGapsToGroup,
  lockGapsToGroup,
  type QuestionToGroup,
  readGapWords,
  readQuestionsToGroup,
  storeGroupedQuestions,
} from '../../db/knowledge/gap-questions.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import { groupQuestions } from '../domain/gaps/group-questions.ts';
import { questionWordsOf } from '../domain/gaps/question-words.ts';
import type { Pools } from '../runtime/pools.ts';
import { type Batch, type BatchEnd, catchUpAll } from './catch-up.ts';

/** Called for each grouped question. */
export type GapListener = (reason: GapReason) => void;

const BATCH_SIZE = 500;
/** A question is compared with this many gaps, those asked for last. */
const MAX_GAPS = 5_000;

export async function groupAllGaps(
  { owner, heavy }: Pick<Pools, 'owner' | 'heavy'>,
  onGap: GapListener,
  signal: AbortSignal,
): Promise<void> {
  await catchUpAll(heavy, () => listHostsWithGapsToGroup(owner), makeGapBatch(onGap), signal);
}

/** Makes a batch that groups questions not grouped yet. */
export function makeGapBatch(onGap: GapListener): Batch {
  return async (db, hostId) => {
    const { end, grouped } = await withHost(db, hostId, groupBatch);
    for (const { reason } of grouped) onGap(reason);
    return end;
  };
}

interface GroupedBatch {
  readonly end: BatchEnd;
  readonly grouped: readonly QuestionToGroup[];
}

async function groupBatch(scope: HostScope): Promise<GroupedBatch> {
  const lock = await lockGapsToGroup(scope);
  if (lock !== 'taken') return { end: lock === 'busy' ? 'busy' : 'done', grouped: [] };
  const read = await readQuestionsToGroup(scope, BATCH_SIZE);
  const words = await runInSlices(readWords(read));
  const worded = read.map((question, at) => ({ question, words: words[at] ?? [] }));
  const asking = worded.filter(each => each.words.length > 0);
  const known = await readGapWords(scope, MAX_GAPS);
  const asked = asking.map(each => each.words);
  const groups = await runInSlices(groupQuestions(known, asked, randomUUID));
  const grouped = asking.map(({ question: { messageSeq }, words: its }, at) => ({
    messageSeq,
    words: its,
    gapId: groups[at] ?? '',
  }));
  const asksNothing = worded.filter(each => each.words.length === 0);
  await storeGroupedQuestions(
    scope,
    grouped,
    asksNothing.map(({ question }) => question.messageSeq),
  );
  const end = read.length < BATCH_SIZE ? 'done' : 'full';
  return { end, grouped: asking.map(({ question }) => question) };
}

function* readWords(questions: readonly QuestionToGroup[]): Generator<void, string[][]> {
  const words: string[][] = [];
  for (const { content } of questions) {
    words.push(questionWordsOf(content));
    yield;
  }
  return words;
}
