import { microsecondsOf } from '../pages.ts';
import { isInParts, isWithin, type Period, splitPeriod } from '../reports/counted-period.ts';
import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** A gap in the knowledge of a host, with its counts of a period. */
export interface Gap {
  readonly gapId: string;
  readonly times: number;
  /** The newest question that still has its text; empty if retention erased all. */
  readonly question: string;
  readonly lastAskedAt: string;
}

/** The place of a question in the list of its gap. */
export interface GapKey {
  readonly gapId: string;
  /** Microseconds since 1970. */
  readonly at: number;
  readonly seq: string;
}

export interface AskedQuestion extends GapKey {
  readonly conversationId: string;
}

const askedAt = sql`question.asked_at`;

/** Reads the gaps that were asked most in the period, or the given one. */
export async function readGaps(
  { tx, hostId }: HostScope,
  period: Period,
  { limit, gapId }: { readonly limit: number; readonly gapId?: string | undefined },
): Promise<Gap[]> {
  const split = splitPeriod(period, 'month');
  const only = gapId === undefined ? sql`` : sql`and gap_id = ${gapId}`;
  const ofGap = sql`gap_questions question
    where question.host_id = ${hostId} and question.gap_id = top_gap.gap_id`;
  return rowsOf<Gap>(tx, { isPlannedOnce: false })`
    with total_of_gap as (
      select gap_id, sum(times)::float8 as times from (
        select gap_id, times from gap_months where host_id = ${hostId}
          and month >= ${split.whole?.from ?? null}::date and month < ${split.whole?.until ?? null}::date ${only}
        union all
        select gap_id, 1 from gap_questions question
        where host_id = ${hostId} and gap_id is not null and (${isInParts(askedAt, split)}) ${only}
      ) gap_count group by 1 having sum(times) > 0
    ), top_gap as (select * from total_of_gap order by times desc, gap_id limit ${limit})
    select top_gap.gap_id as "gapId", coalesce(example.content, '') as question, times,
      last_question.asked_at at time zone 'UTC' as "lastAskedAt"
    from top_gap
    cross join lateral (
      select asked_at from ${ofGap} and ${isWithin(askedAt, period)} order by asked_at desc limit 1
    ) last_question
    left join lateral (
      select message.content from gap_questions question
      join messages message on message.host_id = question.host_id and message.seq = question.message_seq
      where question.host_id = ${hostId} and question.gap_id = top_gap.gap_id and ${isWithin(askedAt, period)}
        and message.content <> ''
      order by question.asked_at desc limit 1
    ) example on true
    order by times desc, top_gap.gap_id`;
}

/** Reads the newest questions of each gap in the period. */
export async function readAskedQuestions(
  { tx, hostId }: HostScope,
  period: Period,
  gapIds: readonly string[],
  { limit, after }: { readonly limit: number; readonly after?: GapKey | undefined },
): Promise<AskedQuestion[]> {
  const earlier = after
    ? sql`and (question.asked_at, question.message_seq)
        < ('epoch'::timestamptz + ${after.at}::float8 * interval '1 microsecond', ${after.seq}::bigint)`
    : sql``;
  return rowsOf<AskedQuestion>(tx, { isPlannedOnce: false })`
    select newest_question.* from unnest(${gapIds}::uuid[]) gap (id) cross join lateral (
      select gap_id as "gapId", message_seq as seq, conversation_id as "conversationId",
        ${microsecondsOf(askedAt)} as at
      from gap_questions question
      where question.host_id = ${hostId} and question.gap_id = gap.id and ${isWithin(askedAt, period)} ${earlier}
      order by question.asked_at desc, question.message_seq desc limit ${limit}
    ) newest_question`;
}

export interface StaffAnswer {
  readonly gapId: string;
  readonly messageId: string;
  readonly content: string;
  /** Words of the question that it follows. */
  readonly words: readonly string[];
}

/** For these gaps, only the newest questions that a staff member answered are read, and the first messages of each answer. */
const MAX_ANSWERED = 5;
const MAX_MESSAGES = 4;

export async function readStaffAnswers(
  { tx, hostId }: HostScope,
  gapIds: readonly string[],
): Promise<StaffAnswer[]> {
  return rowsOf<StaffAnswer>(tx, { isPlannedOnce: false })`
    select gap.id as "gapId", answer.seq as "messageId", answer.content, question.words
    from unnest(${gapIds}::uuid[]) gap (id)
    cross join lateral (
      select * from gap_questions question
      where question.host_id = ${hostId} and question.gap_id = gap.id and question.answered_seq is not null
      order by question.asked_at desc limit ${MAX_ANSWERED}
    ) question
    cross join lateral (
      select seq, content from messages message
      where message.host_id = ${hostId} and message.conversation_id = question.conversation_id
        and message.seq >= question.answered_seq and message.author = 'human' and message.content <> ''
      order by message.seq limit ${MAX_MESSAGES}
    ) answer`;
}
