import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { BURST_CHANNEL } from './burst-channel.ts';
import { appendMessage } from './messages.ts';
import { type TurnClaim, timeOf } from './turn-claim.ts';
import type { HeldTurn } from './turn-leases.ts';

/*
 * A burst: messages that a person sends in a row, of which the last turn answers all (`bursts: last`).
 *
 *   waiting or running --superseded by a newer turn--> unanswered, `superseded_by` set: final
 *
 * - A turn that is claimed ends the earlier ones of its conversation, unless they have acted. Their questions are
 *   stored.
 * - A turn that is claimed while a newer one already runs joins it: it ends, and the newer one runs again, because its
 *   prompt lacks this question.
 * - The turn that runs notes in `answered_with` which unanswered questions it reads. They count as answered with it: once
 *   it is answered, a turn of theirs that is claimed again is superseded by it.
 *
 * All of it happens under the lock of the conversation, which a commit takes first: an answer that was committed is
 * never superseded. A turn notes that it acts without that lock, so every update checks `has_acted` again.
 */

/** A turn that ended, because a newer one answers its question. */
export interface SupersededTurn {
  readonly turnId: string;
  readonly supersededBy: string;
  readonly question: string | null;
  readonly replyKey: string | null;
  readonly replyMac: string | null;
}

export interface OpenQuestion {
  readonly turnId: string;
  readonly content: string;
  readonly createdAt: Date;
}

const supersededColumns = sql`id as "turnId", superseded_by as "supersededBy", question, reply_key as "replyKey", reply_mac as "replyMac"`;

/** Whether a turn can be superseded by this one. */
export function isSupersedable(
  hostId: string,
  { turnId, conversationId, arrivedAt, isRehearsal }: TurnClaim,
): Fragment {
  return sql`${isInBurst(hostId, conversationId, isRehearsal)} and other.id <> ${turnId}
    and (other.arrived_at, other.id) < (${timeOf(arrivedAt)}, ${turnId})`;
}

/** Whether a turn is newer than this one and answers what came before it. One whose worker died does so when it runs again. */
export function isSuperseding(
  hostId: string,
  { turnId, conversationId, arrivedAt, isRehearsal }: TurnClaim,
): Fragment {
  return sql`${isInBurst(hostId, conversationId, isRehearsal)} and other.id <> ${turnId} and other.burst_last
    and other.lease_until > statement_timestamp()
    and (other.arrived_at, other.id) > (${timeOf(arrivedAt)}, ${turnId})`;
}

/** Whether the question of the row `turn` was read by a newer turn that is answered. */
export const isAnsweredWithNewer = sql`(turn.state = 'unanswered' and exists (
  select from turns newer where newer.host_id = turn.host_id and newer.id = turn.answered_with
    and newer.state = 'answered'))`;

function isInBurst(hostId: string, conversationId: string, isRehearsal = false): Fragment {
  return sql`other.host_id = ${hostId} and other.conversation_id = ${conversationId}
    and other.state in ('waiting', 'running') and not other.has_acted and other.rehearsal = ${isRehearsal}
    and other.deadline > statement_timestamp()`;
}

/** Ends the turns that this one supersedes. Call it under the lock of the conversation. */
export async function supersedeEarlier(scope: HostScope, claim: TurnClaim): Promise<SupersededTurn[]> {
  const { tx, hostId } = scope;
  const superseded = await rowsOf<SupersededTurn>(tx)`
    with ended as (
      update turns other set state = 'unanswered', finished_at = clock_timestamp(), superseded_by = ${claim.turnId}
      where ${isSupersedable(hostId, claim)}
      returning other.*
    )
    select ${supersededColumns} from ended order by arrived_at, id`;
  for (const { turnId, question } of superseded) await storeQuestion(scope, claim, turnId, question);
  await notify(
    scope,
    superseded.map(({ turnId }) => turnId),
  );
  return superseded;
}

/**
 * Ends this turn before it runs: a newer one has answered its question, or the newest of the burst runs again. Empty if
 * that has acted meanwhile.
 */
export async function joinNewer(scope: HostScope, claim: TurnClaim): Promise<SupersededTurn[]> {
  const { tx, hostId } = scope;
  const { turnId, conversationId, arrivedAt, question = null, isRehearsal = false, request } = claim;
  const answered = await rowsOf<SupersededTurn>(tx)`
    update turns turn set superseded_by = answered_with
    where host_id = ${hostId} and id = ${turnId} and ${isAnsweredWithNewer} returning ${supersededColumns}`;
  if (answered.length > 0) return answered;
  const [newest] = await rowsOf<{ id: string }>(tx)`
    with newest as (
      select host_id, id from turns other where ${isSuperseding(hostId, claim)}
      order by arrived_at desc, id desc limit 1
    )
    update turns other set state = 'waiting',
      attempt = other.attempt + case other.state when 'running' then 1 else 0 end
    from newest
    where other.host_id = newest.host_id and other.id = newest.id and not other.has_acted
    returning other.id`;
  if (!newest) return [];
  const superseded = await rowsOf<SupersededTurn>(tx)`
    insert into turns as turn
      (host_id, id, conversation_id, state, arrived_at, deadline, lease_until, question, rehearsal, reply_key,
       reply_mac, finished_at, superseded_by)
    values (${hostId}, ${turnId}, ${conversationId}, 'unanswered', ${timeOf(arrivedAt)}, clock_timestamp(),
      clock_timestamp(), ${question}, ${isRehearsal}, ${request?.idempotencyKey ?? null}, ${request?.bodyMac ?? null},
      clock_timestamp(), ${newest.id})
    on conflict (host_id, id) do update
      set state = 'unanswered', finished_at = clock_timestamp(), superseded_by = ${newest.id}
      where turn.conversation_id = excluded.conversation_id and not turn.has_acted
    returning ${supersededColumns}`;
  await storeQuestion(scope, claim, turnId, question);
  await notify(scope, [newest.id]);
  return superseded;
}

/** Notes that the turn is about to act; it is not superseded any more. False if it no longer runs. */
export async function markActed(
  { tx, hostId }: HostScope,
  { turnId, attempt }: Pick<HeldTurn, 'turnId' | 'attempt'>,
): Promise<boolean> {
  const marked = await rowsOf(tx)`
    update turns set has_acted = true
    where host_id = ${hostId} and id = ${turnId} and attempt = ${attempt} and state = 'running' returning id`;
  return marked.length > 0;
}

/** Whether the turn was superseded, or must run again, while this attempt had it. */
export async function isTurnRevoked(
  { tx, hostId }: HostScope,
  { turnId, attempt }: Pick<HeldTurn, 'turnId' | 'attempt'>,
): Promise<boolean> {
  const revoked = await rowsOf(tx)`
    select from turns where host_id = ${hostId} and id = ${turnId}
      and (superseded_by is not null or (state = 'waiting' and attempt = ${attempt + 1}))`;
  return revoked.length > 0;
}

/**
 * A step of the claim: the turn that runs reads the open questions before its own. Those are of superseded turns, and
 * what else is unanswered since the last answer. What an unanswered turn was asked that has acted is not answered again.
 */
export const takeOpenQuestions = sql`open_questions as (
  update turns other set answered_with = claimed.id from claimed
  where claimed.state = 'running' and claimed.burst_last
    and other.host_id = claimed.host_id and other.conversation_id = claimed.conversation_id
    and (other.arrived_at, other.id) < (claimed.arrived_at, claimed.id)
    and other.state = 'unanswered' and not other.has_acted
    and other.rehearsal = claimed.rehearsal and other.question is not null
    and not exists (select from turns newer where newer.host_id = other.host_id and newer.id = other.answered_with
      and newer.state = 'answered')
    and (other.superseded_by is not null or exists (
      select from messages question join conversations conversation
        on conversation.host_id = question.host_id and conversation.id = question.conversation_id
      where question.host_id = other.host_id and question.turn_id = other.id and question.author = 'user'
        and not conversation.closed and question.created_at >= coalesce(conversation.reopened_at, '-infinity')
        and not exists (
          select from messages answer
          where answer.host_id = question.host_id and answer.conversation_id = question.conversation_id
            and answer.author in ('assistant', 'human') and answer.seq > question.seq)))
  returning other.id
)`;

/** The open questions of the turn, in the order of their arrival. */
export async function readOpenQuestions(
  { tx, hostId }: HostScope,
  { conversationId, turnId }: Pick<TurnClaim, 'conversationId' | 'turnId'>,
): Promise<OpenQuestion[]> {
  return rowsOf<OpenQuestion>(tx)`
    select turn.id as "turnId", content, message.created_at as "createdAt" from turns turn
    join messages message on message.host_id = turn.host_id and message.turn_id = turn.id and author = 'user'
    where turn.host_id = ${hostId} and turn.conversation_id = ${conversationId} and answered_with = ${turnId}
    order by turn.arrived_at, turn.id`;
}

/**
 * Puts the questions that a turn answers behind the last answer, in the order of their arrival: a turn that has acted
 * may have been answered since they were asked, and turns may be claimed in another order than they arrive.
 */
export async function sortQuestions(
  { tx, hostId }: HostScope,
  { conversationId, turnId }: Pick<TurnClaim, 'conversationId' | 'turnId'>,
): Promise<void> {
  const asked = await rowsOf<{ seq: string; hasAnswerAfter: boolean }>(tx)`
    select message.seq, exists (
        select from messages answer
        where answer.host_id = message.host_id and answer.conversation_id = message.conversation_id
          and answer.author in ('assistant', 'human') and answer.seq > message.seq) as "hasAnswerAfter"
    from turns turn
    join messages message on message.host_id = turn.host_id and message.turn_id = turn.id and author = 'user'
    where turn.host_id = ${hostId} and turn.conversation_id = ${conversationId}
      and (turn.id = ${turnId} or answered_with = ${turnId})
    order by turn.arrived_at, turn.id`;
  const seqs = asked.map(({ seq }) => BigInt(seq));
  const isLate = (seq: bigint, at: number) => seqs.slice(at + 1).some(later => later < seq);
  const first = asked.findIndex(({ hasAnswerAfter }, at) => hasAnswerAfter || isLate(seqs[at] ?? 0n, at));
  if (first < 0) return;
  for (const { seq } of asked.slice(first))
    await rowsOf(tx)`update messages set seq = default where host_id = ${hostId} and seq = ${seq}`;
}

async function storeQuestion(
  scope: HostScope,
  { conversationId, isRehearsal = false }: TurnClaim,
  turnId: string,
  question: string | null,
): Promise<void> {
  if (question === null) return;
  await appendMessage(scope, { conversationId, turnId, author: 'user', content: question, isRehearsal });
}

/** Notifies the workers that run or wait for these turns; see `burst-channel.ts`. */
async function notify({ tx }: HostScope, turnIds: readonly string[]): Promise<void> {
  if (turnIds.length > 0)
    await rowsOf(tx)`select pg_notify(${BURST_CHANNEL}, id) from unnest(${[...turnIds]}::text[]) id`;
}
