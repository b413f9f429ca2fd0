import type { BurstSetting } from '../hosts/hosts.ts';
import { rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
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
 * - A turn with attachments is read before it ends another, and nothing ends it before: until its words are there (then a newer turn
 *   that waits for them answers them, too), or at all where only this turn has what is attached.
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

interface KnownQuestion extends Pick<HeldTurn, 'turnId' | 'attempt'> {
  readonly question: string;
  /** What is stored of it as the message of the person. */
  readonly message: string;
  /** Only this turn can answer it: no newer one supersedes it. */
  readonly isForThisTurn: boolean;
}

/**
 * Notes the question of a turn that runs to read what is attached to it: the turn claims again with it, and from then on takes part
 * in its burst. False, without a write, where the attempt is outdated.
 */
export async function noteQuestion(
  { tx, hostId }: HostScope,
  { turnId, attempt, question, message, isForThisTurn }: KnownQuestion,
): Promise<boolean> {
  const noted = await rowsOf(tx)`
    update turns set question = ${question}, message = ${message},
      -- A run again may have acted, with the question that it noted before.
      has_acted = has_acted and (question is not null or ${isForThisTurn})
    where host_id = ${hostId} and id = ${turnId} and attempt = ${attempt} and state in ('waiting', 'running')
    returning id`;
  return noted.length > 0;
}

/** What a turn says of itself when it claims its conversation. */
export interface TurnClaim {
  readonly turnId: string;
  readonly conversationId: string;
  /** Creates the conversation where the host has none of this id. */
  readonly opensConversation?: boolean;
  /** The avatar that answers: without it the turn is not claimed. Undefined: the default of the host. */
  readonly subSlug?: string | undefined;
  /** Milliseconds with fractions; used only to order arrivals. */
  readonly arrivedAt: number;
  /** Remaining time until the deadline. A duration, because clocks of machines differ. */
  remainingMs(): number;
  /** Undefined where the assistant writes first. */
  readonly question: string | undefined;
  /** It runs to read what is attached, which is its question: it ends no turn, and no turn ends it. Then it claims again. */
  readonly isReading?: boolean;
  /** A test of the assistant: not counted in reports, without an insight. */
  readonly isRehearsal?: boolean;
  /** Whether its question supersedes the turns before it. When absent: the setting of the host. */
  readonly burst?: BurstSetting | undefined;
  /** A newer turn that supersedes this one stores its reply under the key. */
  readonly request?: { readonly idempotencyKey?: string | undefined; readonly bodyMac?: string | undefined };
  readonly leaseMs: number;
  /**
   * The job is a new one. Another of the same key may run the turn, and is paid for its answer: it is waited for as long as its lease
   * lasts. The queue runs a job again only when its worker is gone: that takes the turn over at once.
   */
  readonly isNewJob?: boolean;
}
