import type { DataOf } from '../../queues/contract/operations/index.ts';
import { isAfter, microsecondsOf, type PageOf, type TimeKey } from '../pages.ts';
import { isWithin, type Period } from '../reports/counted-period.ts';
import { type Fragment, rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

export type Feedback = DataOf<'saveFeedback'>;

interface NewFeedback {
  readonly conversationId: string;
  /** Undefined: of the newest answer. */
  readonly turnId: string | undefined;
  readonly score: number;
  readonly scale: number | undefined;
  readonly text: string;
  /** Of the caller: a staff member judges as themselves, every other caller for the person. */
  readonly actorId: string;
}

const given = sql`conversation_id as "conversationId", turn_id as "turnId", person_id as "personId", score, scale, text,
  created_at at time zone 'UTC' as "createdAt"`;

/** Stores it in place of an earlier one of its author, with what the answer stood on. Undefined if there is no such answer. */
export async function upsertFeedback(
  { tx, hostId }: HostScope,
  { conversationId, turnId, score, scale, text, actorId }: NewFeedback,
): Promise<(Feedback & { readonly verdict: number }) | undefined> {
  return rowOf<Feedback & { verdict: number }>(tx)`
    with answer as (
      select turn_id, seq, coalesce(sources, '[]') as sources from messages
      where host_id = ${hostId} and conversation_id = ${conversationId} and author = 'assistant'
        and turn_id = coalesce(${turnId ?? null}, turn_id)
      order by seq desc limit 1
    ), staff as (
      select (select id from people where host_id = ${hostId} and id = ${actorId}::uuid) as id
    )
    insert into feedback (host_id, conversation_id, turn_id, author, person_id, score, scale, text, message_seq,
      avatar_id, flow_id, flow_version, sources)
    select ${hostId}, ${conversationId}, answer.turn_id, coalesce(staff.id::text, 'user'), staff.id, ${score},
      ${scale ?? null}, ${text}, seq, (receipt #>> '{avatar,id}')::uuid, (receipt #>> '{flow,id}')::uuid,
      (receipt #>> '{flow,version}')::integer, sources
    from answer cross join staff left join turns on turns.host_id = ${hostId} and turns.id = answer.turn_id
    on conflict (host_id, turn_id, author) do update set score = excluded.score, scale = excluded.scale,
      text = excluded.text, created_at = clock_timestamp()
    returning ${given}, verdict`;
}

/** A question is a gap because of it as long as somebody judges its answer wrong. */
export async function dropJudgedGap({ tx, hostId }: HostScope, turnId: string): Promise<void> {
  await rowsOf(tx)`
    delete from gap_questions where host_id = ${hostId} and reason = 'judged' and message_seq in (
      select seq from messages where host_id = ${hostId} and turn_id = ${turnId} and author = 'user')
      and not exists (select from feedback where host_id = ${hostId} and turn_id = ${turnId} and verdict < 0)`;
}

/** The feedback to the answer of a turn, as a list of JSON; null for none. */
export const feedbackOf = (hostId: string, turnId: Fragment): Fragment => sql`(
  select json_agg(json_build_object('personId', person_id, 'score', score, 'scale', scale, 'text', text) order by created_at)
  from feedback where feedback.host_id = ${hostId} and feedback.turn_id = ${turnId})`;

const createdAt = sql`feedback.created_at`;
const judgedIn = ({ hostId }: HostScope, period: Period) => sql`feedback
  where feedback.host_id = ${hostId} and ${isWithin(createdAt, period)}
    and not exists (select from turns where turns.host_id = feedback.host_id and turns.id = turn_id and rehearsal)`;

/** Counts the answers by what their people, and staff, said of them: one that anybody judges wrong counts as wrong. */
export async function countFeedback(
  scope: HostScope,
  period: Period,
): Promise<Record<'right' | 'wrong' | 'between', number>> {
  const [counts] = await rowsOf<Record<'right' | 'wrong' | 'between', number>>(scope.tx, {
    isPlannedOnce: false,
  })`
    select count(*) filter (where least > 0)::float8 as right, count(*) filter (where least < 0)::float8 as wrong,
      count(*) filter (where least = 0)::float8 as between
    from (select min(verdict) as least from ${judgedIn(scope, period)} group by turn_id) judged`;
  return counts ?? { right: 0, wrong: 0, between: 0 };
}

/** Lists the newest answers that were judged wrong, as keys of a list: the id is the conversation's. */
export async function listJudgedWrong(
  scope: HostScope,
  period: Period,
  { limit, after }: PageOf<TimeKey>,
): Promise<TimeKey[]> {
  const [at, id] = [sql`judged_at`, sql`conversation_id`];
  return rowsOf<TimeKey>(scope.tx, { isPlannedOnce: false })`
    select ${id} as id, ${microsecondsOf(at)} as at from (
      select conversation_id, max(created_at) as judged_at from ${judgedIn(scope, period)} and verdict < 0
      group by turn_id, conversation_id
    ) judged where true ${isAfter(at, id, after)}
    order by judged_at desc, conversation_id desc limit ${limit}`;
}

export interface JudgedGap {
  readonly gapId: string;
  readonly judgedWrong: number;
  /** The newest right answer of a staff member. */
  readonly rightAnswer: string | null;
}

/** Reads what was judged wrong among the questions of these gaps in the period. */
export async function readJudged(
  { tx, hostId }: HostScope,
  period: Period,
  gapIds: readonly string[],
): Promise<JudgedGap[]> {
  return rowsOf<JudgedGap>(tx, { isPlannedOnce: false })`
    select gap_id as "gapId", count(distinct feedback.turn_id)::float8 as "judgedWrong",
      (array_agg(feedback.text order by feedback.created_at desc)
        filter (where feedback.person_id is not null and feedback.text <> ''))[1] as "rightAnswer"
    from gap_questions question
    join messages asked on asked.host_id = question.host_id and asked.seq = question.message_seq
    join feedback on feedback.host_id = asked.host_id and feedback.turn_id = asked.turn_id and verdict < 0
    where question.host_id = ${hostId} and gap_id = any (${gapIds}::uuid[]) and ${isWithin(sql`question.asked_at`, period)}
    group by gap_id`;
}
