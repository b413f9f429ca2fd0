import type { Db } from '../connection.ts';
import { rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/*
 * Questions that found no answer are stored with the reason, and grouped in the background (`gap_id`). A report groups its
 * host's first, as far as it may wait for them.
 */

interface MessagePlace {
  readonly conversationId: string;
  readonly seq: string;
}

export type GapReason = 'not_found' | 'handover' | 'withheld' | 'human' | 'judged';

/** Stores the question of a turn, except for a turn without one, and for a rehearsal. */
export async function addGapQuestion(
  { tx, hostId }: HostScope,
  turnId: string,
  reason: GapReason,
): Promise<void> {
  await rowsOf(tx)`
    insert into gap_questions (host_id, message_seq, conversation_id, reason, asked_at)
    select host_id, seq, conversation_id, ${reason}, created_at from messages
    where host_id = ${hostId} and turn_id = ${turnId} and author = 'user' and not rehearsal
    on conflict do nothing`;
}

/** Notes that a staff member's message follows the questions that wait for an answer. */
export async function noteStaffAnswer(
  { tx, hostId }: HostScope,
  { conversationId, seq }: MessagePlace,
): Promise<void> {
  await rowsOf(tx)`
    update gap_questions set answered_seq = ${seq}::bigint
    where host_id = ${hostId} and conversation_id = ${conversationId} and answered_seq is null
      and asked_at >= (select coalesce(reopened_at, '-infinity') from conversations
        where host_id = ${hostId} and id = ${conversationId})`;
}

/** Finds the end user's message before this message of a staff member; none if the assistant had answered. */
export async function findUnansweredMessage(
  { tx, hostId }: HostScope,
  { conversationId, seq }: MessagePlace,
): Promise<{ readonly seq: string; readonly content: string } | undefined> {
  const [last] = await rowsOf<{ seq: string; content: string; author: string }>(tx)`
    select seq, content, author from messages
    where host_id = ${hostId} and conversation_id = ${conversationId} and seq < ${seq}::bigint
      and author <> 'system' and not rehearsal
    order by seq desc limit 1`;
  return last?.author === 'user' ? last : undefined;
}

/** Stores a question that a staff member had to answer. */
export async function addAnsweredQuestion(
  { tx, hostId }: HostScope,
  messageSeq: string,
  answeredSeq: string,
): Promise<void> {
  await rowsOf(tx)`
    insert into gap_questions (host_id, message_seq, conversation_id, reason, asked_at, answered_seq)
    select host_id, seq, conversation_id, 'human', created_at, ${answeredSeq}::bigint from messages
    where host_id = ${hostId} and seq = ${messageSeq}::bigint
    on conflict do nothing`;
}

export interface QuestionToGroup {
  readonly messageSeq: string;
  readonly content: string;
  readonly reason: GapReason;
}

export interface GroupedQuestion {
  readonly messageSeq: string;
  readonly gapId: string;
  readonly words: readonly string[];
}

/**
 * Takes the lock under which the questions of a host are grouped and counted, if there are any to group. `busy`: another
 * transaction has it.
 */
export async function lockGapsToGroup({ tx, hostId }: HostScope): Promise<'none' | 'taken' | 'busy'> {
  const [row] = await rowsOf<{ taken: boolean | null }>(tx)`
    select case when exists (select from gap_questions where host_id = ${hostId} and gap_id is null)
      then try_lock_gaps(${hostId}) end as taken`;
  if (row?.taken === null || row === undefined) return 'none';
  return row.taken ? 'taken' : 'busy';
}

/** Reads the oldest first. A question that is being deleted is left out: its deletion waits for the lock. */
export async function readQuestionsToGroup(
  { tx, hostId }: HostScope,
  limit: number,
): Promise<QuestionToGroup[]> {
  return rowsOf<QuestionToGroup>(tx)`
    select question.message_seq as "messageSeq", message.content, question.reason
    from gap_questions question join messages message on message.host_id = question.host_id and message.seq = question.message_seq
    where question.host_id = ${hostId} and question.gap_id is null
    order by question.message_seq limit ${limit} for update of question skip locked`;
}

export async function readGapWords(
  { tx, hostId }: HostScope,
  limit: number,
): Promise<{ id: string; words: string[] }[]> {
  return rowsOf<{ id: string; words: string[] }>(tx)`
    select id, words from gaps where host_id = ${hostId} order by last_asked_at desc limit ${limit}`;
}

/** Stores and counts the gaps of questions, and deletes messages that turned out to ask nothing. */
export async function storeGroupedQuestions(
  { tx, hostId }: HostScope,
  grouped: readonly GroupedQuestion[],
  asksNothing: readonly string[],
): Promise<void> {
  await rowsOf(tx)`
    delete from gap_questions where host_id = ${hostId} and message_seq = any (${asksNothing}::bigint[])`;
  const texts = (of: (question: GroupedQuestion) => string) => grouped.map(of);
  await rowsOf(tx)`
    with assignment as (
      select * from unnest(${texts(each => each.messageSeq)}::bigint[], ${texts(each => each.gapId)}::uuid[],
        ${texts(each => each.words.join(' '))}::text[]) assignment (seq, gap, words)
    ), grouped_question as (
      update gap_questions question set gap_id = gap, words = string_to_array(assignment.words, ' ') from assignment
      where question.host_id = ${hostId} and message_seq = seq
      returning message_seq, gap_id, question.words, asked_at
    ), stored_gap as (
      insert into gaps (host_id, id, words, last_asked_at)
      select distinct on (gap_id) ${hostId}::uuid, gap_id, words, max(asked_at) over (partition by gap_id)
      from grouped_question order by gap_id, message_seq
      on conflict (host_id, id) do update set last_asked_at = greatest(gaps.last_asked_at, excluded.last_asked_at)
    )
    insert into gap_months as gap_count (host_id, month, gap_id, times)
    select ${hostId}::uuid, utc_month(asked_at), gap_id, count(*) from grouped_question group by 2, 3
    on conflict (host_id, month, gap_id) do update set times = gap_count.times + excluded.times`;
}

/** Lists the hosts that have questions to group. Works as the owner. */
export async function listHostsWithGapsToGroup(db: Db): Promise<string[]> {
  const hosts = await rowsOf<{ id: string }>(db)`
    select id from hosts
    where exists (select from gap_questions where host_id = hosts.id and gap_id is null) order by id`;
  return hosts.map(({ id }) => id);
}
