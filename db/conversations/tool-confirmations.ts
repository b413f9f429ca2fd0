import type { Db } from '../connection.ts';
import { deleteInBatches } from '../row-batch.ts';
import { type Fragment, jsonOf, returnsRow, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import type { TurnAttempt } from './turns.ts';

/*
 * A call that a person has to agree to. It is stored with the answer that asks, and goes one way:
 *
 *   waiting --committed before the request leaves, by the attempt that has the turn--> called --the system's word--> answered
 *
 * - Only the person's next turn finds it waiting: its question came after the answer that asked, which is still the last word
 *   of the conversation, at most fifteen minutes ago. Every other turn that is answered deletes it.
 * - A row that is `called` and not answered may have arrived or not: nobody calls it again.
 * - An answer is given again to another run of its turn, and where that one never told it, to the next turn that is answered.
 *   Staff who attend meanwhile read in the dialogue that it was called.
 */

const WAITS = sql`interval '15 minutes'`;
const KEPT = sql`interval '1 day'`;
/** Two processes know the clock of the queue store, each from the time that a message took; a person needs longer to read. */
const CLOCK_ERROR = sql`interval '250 milliseconds'`;
const MAX_KNOWN = 20;
const PURGE_BATCH_SIZE = 1_000;

export interface AskedCall {
  /** Equal for the same function with the same arguments. */
  readonly key: string;
  readonly name: string;
  /** Canonical JSON. */
  readonly arguments: string;
}

export interface CallAnswer {
  readonly text: string;
  readonly status: number;
  readonly error?: string | undefined;
}

export interface KnownCall extends Pick<AskedCall, 'key' | 'arguments'> {
  readonly id: string;
  readonly state: 'waiting' | 'called' | 'answered';
  /** Set once it is answered. */
  readonly answer: CallAnswer | null;
}

interface KnowingTurn {
  readonly conversationId: string;
  readonly turnId: string;
  /** The clock by which turns arrive: that of the queue store, in milliseconds. */
  readonly queueNow: number;
}

/** Selects, as JSON, the calls that a turn has to know of; for the statement that reads its settings, after it was claimed. */
export function knownCallsOf(hostId: string, { conversationId, turnId, queueNow }: KnowingTurn): Fragment {
  const lastWord = (column: Fragment) => sql`(
    select ${column} from messages
    where host_id = ${hostId} and conversation_id = ${conversationId} and author in ('assistant', 'human') and not rehearsal
    order by seq desc limit 1)`;
  // Neither the text for a failure, nor a word of staff, tells how a call ended.
  const lastTold = sql`(
    select message.created_at from messages message
    join turns turn on turn.host_id = message.host_id and turn.id = message.turn_id and failed_code is null
    where message.host_id = ${hostId} and message.conversation_id = ${conversationId} and author = 'assistant' and not message.rehearsal
    order by seq desc limit 1)`;
  // All questions that it answers came after that time: they were known later, and they arrived later, on the clock of the database.
  const isAskedAfter = (time: Fragment) => sql`(
    select min(created_at) > ${time}
      and min(arrived_at) + (statement_timestamp() - to_timestamp(${queueNow}::double precision / 1000)) > ${time} - ${CLOCK_ERROR}
    from turns
    where host_id = ${hostId} and conversation_id = ${conversationId} and question is not null
      and (id = ${turnId} or answered_with = ${turnId}))`;
  const turnOf = (column: Fragment, id: Fragment) =>
    sql`(select ${column} from turns where host_id = ${hostId} and id = ${id})`;
  return sql`(select coalesce(json_agg(row_to_json(known_call)), '[]') from (
    select id, key, arguments, state, answer from tool_confirmations
    where host_id = ${hostId} and conversation_id = ${conversationId} and case state
      when 'called' then true
      when 'answered' then called_turn = ${turnId}
        or called_at > ${lastTold}
      else asked_at > statement_timestamp() - ${WAITS} and asked_turn = ${lastWord(sql`turn_id`)}
        and ${isAskedAfter(turnOf(sql`finished_at`, sql`asked_turn`))} end
    order by asked_at, id limit ${MAX_KNOWN}
  ) known_call)`;
}

/** Stores what a turn asks with its answer, and deletes what waited before. */
export async function storeAskedCalls(
  { tx, hostId }: HostScope,
  { conversationId, turnId }: Omit<KnowingTurn, 'queueNow'>,
  asked: readonly AskedCall[],
): Promise<void> {
  await rowsOf(tx)`
    with forgotten_call as (
      delete from tool_confirmations
      where host_id = ${hostId} and conversation_id = ${conversationId} and state = 'waiting'
    )
    insert into tool_confirmations (host_id, conversation_id, asked_turn, key, name, arguments)
    select ${hostId}, ${conversationId}, ${turnId}, key, name, arguments
    from jsonb_to_recordset(${jsonOf(asked)}::jsonb) asked_call (key text, name text, arguments text)`;
}

/** Must be committed before the request leaves. Returns false where the attempt is outdated, or another run was first. */
export async function beginCall({ tx, hostId }: HostScope, id: string, run: TurnAttempt): Promise<boolean> {
  return returnsRow(tx)`
    with conversation as (
      select host_id, id from conversations
      where host_id = ${hostId} and id = (select conversation_id from turns where host_id = ${hostId} and id = ${run.turnId})
      for no key update
    ), running_turn as (
      select turn.host_id, turn.conversation_id from turns turn
      join conversation on conversation.host_id = turn.host_id and conversation.id = turn.conversation_id
      where turn.id = ${run.turnId} and turn.attempt = ${run.attempt} and turn.state = 'running'
      for no key update of turn
    )
    update tool_confirmations call set state = 'called', called_turn = ${run.turnId}, called_at = clock_timestamp()
    from running_turn turn
    where call.host_id = turn.host_id and call.conversation_id = turn.conversation_id and call.id = ${id}
      and call.state = 'waiting'
    returning call.id`;
}

/** Whoever has the answer stores it, even after another run has taken the turn over. */
export async function storeCallAnswer(
  { tx, hostId }: HostScope,
  id: string,
  answer: CallAnswer,
): Promise<void> {
  await rowsOf(tx)`
    update tool_confirmations set state = 'answered', answer = ${jsonOf(answer)}::jsonb
    where host_id = ${hostId} and id = ${id} and state = 'called'`;
}

/** For a turn whose answer nobody gets: see `note_untold_calls` in functions/turns.sql. */
export async function noteUntoldCalls({ tx, hostId }: HostScope, turnId: string): Promise<void> {
  await rowsOf(tx)`select note_untold_calls(${hostId}, ${turnId})`;
}

/** Deletes old calls of all hosts, also those of which nobody knows whether they arrived. Works as the owner. */
export function purgeToolConfirmations(db: Db): Promise<number> {
  return deleteInBatches(db, {
    table: sql`tool_confirmations`,
    where: sql`asked_at < now() - ${KEPT}`,
    limit: PURGE_BATCH_SIZE,
  });
}
