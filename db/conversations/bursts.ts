import { type Channel, openChannel } from '../../platform/listen-channel.ts';
import type { Db } from '../connection.ts';
import { returnsRow, rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { type LeasedTurn, leasedRows, type TurnAttempt } from './turns.ts';

/*
 * A burst is a row of messages of one person, of which the last turn answers all (`bursts: last`).
 *
 *   waiting or running --superseded by a newer turn--> unanswered, `superseded_by` set: final
 *
 * - A turn that is claimed ends the earlier ones of its conversation, unless they have acted. Their questions are
 *   stored.
 * - A turn that is claimed while a newer one already runs joins it: it ends, and the newer one runs again, because its
 *   prompt lacks this question.
 * - The running turn notes in `answered_with` the unanswered questions that it reads. They count as answered with it: once
 *   it is answered, it supersedes a turn of theirs that is claimed again.
 * - A turn with attachments ends no other, and no other ends it, before its words are known: a newer turn that waits for
 *   them answers them, too. If only this turn has the attachments, no other ever ends it.
 *
 * All of it happens under the lock of the conversation, which a commit takes first: an answer that was committed is
 * never superseded. A turn notes that it acts without that lock, so every update checks `has_acted` again.
 */

export interface OpenQuestion {
  readonly turnId: string;
  readonly content: string;
  readonly createdAt: Date;
}

/** Notes that the turn is about to act, after which it cannot be superseded. Returns false if it no longer runs. */
export async function markActed(
  { tx, hostId }: HostScope,
  { turnId, attempt }: TurnAttempt,
): Promise<boolean> {
  return returnsRow(tx)`
    update turns set has_acted = true
    where host_id = ${hostId} and id = ${turnId} and attempt = ${attempt} and state = 'running' returning id`;
}

/** Whether the turn was superseded, or must run again, while this attempt had it. */
export async function isTurnRevoked(
  { tx, hostId }: HostScope,
  { turnId, attempt }: TurnAttempt,
): Promise<boolean> {
  return returnsRow(tx)`
    select from turns where host_id = ${hostId} and id = ${turnId}
      and (superseded_by is not null or (state = 'waiting' and attempt = ${attempt + 1}))`;
}

/** Reads the open questions of the turn, in order of arrival. */
export async function readOpenQuestions(
  { tx, hostId }: HostScope,
  { conversationId, turnId }: { readonly conversationId: string; readonly turnId: string },
): Promise<OpenQuestion[]> {
  return rowsOf<OpenQuestion>(tx)`
    select turn.id as "turnId", content, message.created_at as "createdAt" from turns turn
    join messages message on message.host_id = turn.host_id and message.turn_id = turn.id and author = 'user'
    where turn.host_id = ${hostId} and turn.conversation_id = ${conversationId} and answered_with = ${turnId}
    order by turn.arrived_at, turn.id`;
}

interface KnownQuestion extends TurnAttempt {
  readonly question: string;
  /** The text that is stored as the person's message. */
  readonly message: string;
  /** Set if only this turn can answer the question: no newer one supersedes it. */
  readonly isForThisTurn: boolean;
}

/**
 * Notes the question of a turn that ran to read its attachments: the turn claims again with it, and from then on takes part in
 * its burst. Returns false, and writes nothing, if the attempt is outdated.
 */
export async function noteQuestion(
  { tx, hostId }: HostScope,
  { turnId, attempt, question, message, isForThisTurn }: KnownQuestion,
): Promise<boolean> {
  return returnsRow(tx)`
    update turns set question = ${question}, message = ${message},
      -- A run again may have acted, with the question that it noted before.
      has_acted = has_acted and (question is not null or ${isForThisTurn})
    where host_id = ${hostId} and id = ${turnId} and attempt = ${attempt} and state in ('waiting', 'running')
    returning id`;
}

/** Lists the turns that a burst took from this process: they are superseded, or run again. */
export async function listRevoked(db: Db, leased: readonly LeasedTurn[]): Promise<string[]> {
  const revoked = await rowsOf<{ id: string }>(db)`
    select turn.id from turns turn
    join ${leasedRows(leased)} on turn.host_id = leased_turn.host_id and turn.id = leased_turn.id
    where turn.superseded_by is not null or (turn.state = 'waiting' and turn.attempt > leased_turn.attempt)`;
  return revoked.map(turn => turn.id);
}

/** Tells workers the ids of their turns that a burst revokes. */
export function openBurstChannel(databaseUrl: string, onTurn: (turnId: string) => void): Promise<Channel> {
  return openChannel(databaseUrl, {
    channels: ['parley_bursts'],
    applicationName: 'parley-bursts',
    onNotification: ({ payload = '' }) => onTurn(payload),
  });
}
