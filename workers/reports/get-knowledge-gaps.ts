import type { Db } from '../../db/connection.ts';
import { type JudgedGap, readJudged } from '../../db/conversations/feedback.ts';
import {
  type GapKey,
  readAskedQuestions,
  readGaps,
  readStaffAnswers,
  type StaffAnswer,
} from '../../db/knowledge/gaps.ts';
import { useOneSnapshot } from '../../db/reports/reports.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import { fieldFailure, isFailure } from '../../queues/contract/failure.ts';
import { MAX_IDS } from '../../queues/contract/operations/gap-shape.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { ORDINARY_PAGE_ITEMS } from '../../queues/contract/operations/page.ts';
import { integer, object, patternText, uuid } from '../../queues/contract/shape.ts';
import { decodeCursor, encodeCursor } from '../bodies/page.ts';
import { chooseSuggestion } from '../domain/gaps/question-words.ts';
import type { Handler } from '../runtime/job.ts';
import { catchUp } from './catch-up.ts';
import { type GapListener, makeGapBatch } from './group-gaps.ts';
import { type ReportPeriod, readHostPeriod } from './report-period.ts';

type ReportedGap = DataOf<'getKnowledgeGaps'>[number];

const keyShape = object({
  gapId: uuid(),
  at: integer({ min: 0 }),
  seq: patternText(/^[1-9]\d{0,17}$/, 'a whole number'),
});

export function makeGetKnowledgeGaps(heavy: Db, onGap: GapListener): Handler<'getKnowledgeGaps'> {
  const groupBatch = makeGapBatch(onGap);
  return async job => {
    const { hostId, body, read, signal } = job;
    const after = body.cursor === undefined ? undefined : decodeCursor<GapKey>(job, keyShape, body.cursor);
    if (body.cursor !== undefined && !after) return fieldFailure('cursor', 'cursor');
    await catchUp(heavy, hostId, groupBatch, signal);
    return read(async scope => {
      await useOneSnapshot(scope);
      const period = await readHostPeriod(scope, body);
      if (isFailure(period)) return period;
      return { code: 200, data: await readReportedGaps(scope, period, body.limit, after) };
    });
  };
}

/** With a cursor, reads only the gap that it names, with the next ids. */
async function readReportedGaps(
  scope: HostScope,
  period: ReportPeriod,
  limit = ORDINARY_PAGE_ITEMS,
  after?: GapKey,
): Promise<ReportedGap[]> {
  const list = { operation: 'getKnowledgeGaps', hostId: scope.hostId } as const;
  const gaps = await readGaps(scope, period, { limit, gapId: after?.gapId });
  const ids = gaps.map(({ gapId }) => gapId);
  // One extra id tells whether there are more.
  const asked = await readAskedQuestions(scope, period, ids, { limit: MAX_IDS + 1, after });
  const answers = groupByGap(await readStaffAnswers(scope, ids));
  const byGap = groupByGap(asked);
  const judged = new Map((await readJudged(scope, period, ids)).map(each => [each.gapId, each]));
  const suggestions = await runInSlices(chooseSuggestions(ids, answers));
  return gaps.map(gap => {
    const questions = byGap.get(gap.gapId) ?? [];
    const shown = questions.slice(0, MAX_IDS);
    const last = shown.at(-1);
    const suggested = suggestions.get(gap.gapId);
    return {
      ...gap,
      ...judgedOf(judged.get(gap.gapId)),
      conversations: shown.map(({ conversationId }) => conversationId),
      nextCursor: questions.length > shown.length && last ? encodeCursor(list, keyOf(last)) : null,
      ...(suggested
        ? { suggestion: { content: suggested.content, fromMessageId: suggested.messageId } }
        : {}),
    };
  });
}

function judgedOf(judged: JudgedGap | undefined): Pick<ReportedGap, 'judgedWrong' | 'rightAnswer'> {
  const { judgedWrong = 0, rightAnswer } = judged ?? {};
  return { judgedWrong, ...(rightAnswer ? { rightAnswer } : {}) };
}

/** Yields after each gap, whose messages may have the words of many pages. */
function* chooseSuggestions(
  gapIds: readonly string[],
  answers: ReadonlyMap<string, readonly StaffAnswer[]>,
): Generator<void, Map<string, StaffAnswer | undefined>> {
  const suggestions = new Map<string, StaffAnswer | undefined>();
  for (const gapId of gapIds) {
    suggestions.set(gapId, chooseSuggestion(answers.get(gapId) ?? []));
    yield;
  }
  return suggestions;
}

function keyOf({ gapId, at, seq }: GapKey): GapKey {
  return { gapId, at, seq };
}

function groupByGap<T extends { readonly gapId: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.gapId);
    if (group) group.push(row);
    else groups.set(row.gapId, [row]);
  }
  return groups;
}
