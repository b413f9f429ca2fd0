import type { Db } from './connection.ts';
import { type Conversation, conversationColumns } from './conversations.ts';
import { scheduleInsight } from './insights-due.ts';
import { type Fragment, jsonOf, rowsOf, sql } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

/*
 * One turn at a time per conversation, in the order of arrival, across any number of worker processes that may die.
 *
 * A turn has the id of its job and is in one of four states:
 *   waiting     its job has started while another turn of the conversation had precedence; it polls;
 *   running     a worker is processing it, under an attempt number;
 *   answered    the answer is stored. Final;
 *   unanswered  abandoned: the deadline passed or the work failed; the question is stored. Its job may resume it.
 *
 * Waiting and running turns hold a lease: polling renews it for a waiting turn, `renewLeases` for a running one. A
 * claim is decided under the row lock of the conversation, so two claims of one conversation never overlap:
 * - A running turn has precedence, or a waiting one that arrived earlier and is before its deadline, while its lease
 *   lasts. An expired lease means a dead worker, which delays the others no longer than that.
 * - A turn without a predecessor runs under the next attempt number, the fence: an older attempt cannot finish it.
 * - A running turn whose lease has expired goes back to waiting. Its worker may be slow and not dead, but can neither
 *   renew nor finish any more. When the queue runs its job again, it claims again.
 * - A job whose turn is answered, or whose deadline has passed, gets nothing.
 *
 * The question is stored as a user message when the turn first runs, or when it is abandoned: exactly once. All times
 * are compared on the database's clock, at the statement and not at the start of the transaction, because a claim may
 * have waited for the lock. Every statement locks the conversation before the turn.
 */

export interface TurnClaim {
  readonly jobId: string;
  readonly conversationId: string;
  /** Milliseconds with fractions; used only to order arrivals. */
  readonly arrivedAt: number;
  /** Remaining time until the deadline. A duration, because clocks of machines differ. */
  remainingMs(): number;
  /** Undefined where the assistant writes first. */
  readonly question: string | undefined;
  /** A test of the assistant: not counted in reports, without an insight. */
  readonly isRehearsal?: boolean;
  readonly leaseMs: number;
}

export type ClaimedTurn =
  | { readonly kind: 'claimed'; readonly attempt: number; readonly conversation: Conversation }
  | { readonly kind: 'busy' }
  | { readonly kind: 'no-conversation' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'done' };

/** A turn in the hands of one worker, identified by its attempt. */
export interface HeldTurn {
  readonly hostId: string;
  readonly jobId: string;
  readonly attempt: number;
}

export interface FinishedTurn {
  readonly jobId: string;
  readonly attempt: number;
  /** Empty where the assistant stays silent: then no message is stored. */
  readonly answer: string;
  readonly tokens: readonly { readonly model: string; readonly tokens: number }[];
  readonly receipt: unknown;
}

/** Claims the turn. A question reopens a closed conversation; earlier messages are then no longer context. */
export async function claimTurn(scope: HostScope, claim: TurnClaim): Promise<ClaimedTurn> {
  const [locked] = await rowsOf(scope.tx)`
    select from conversations where host_id = ${scope.hostId} and id = ${claim.conversationId} for no key update`;
  if (!locked) return { kind: 'no-conversation' };
  const { done, expired, state, attempt, ...conversation } = await decideClaim(scope, claim);
  if (done) return { kind: 'done' };
  if (expired) {
    await abandon(scope, claim.jobId, null);
    return { kind: 'expired' };
  }
  if (state === null) throw new Error(`Turn ${claim.jobId} belongs to another conversation.`);
  return state === 'waiting' ? { kind: 'busy' } : { kind: 'claimed', attempt, conversation };
}

/**
 * Renews the leases of this process; returns the ids of the turns that it still holds. The others were claimed by
 * another worker, or are locked: one slow commit must not cost the others their leases.
 */
export async function renewLeases(db: Db, held: readonly HeldTurn[], leaseMs: number): Promise<string[]> {
  const renewed = await rowsOf<{ id: string }>(db)`
    with free as (
      select turn.host_id, turn.id from turns turn
      join unnest(
        ${held.map(turn => turn.hostId)}::uuid[],
        ${held.map(turn => turn.jobId)}::text[],
        ${held.map(turn => String(turn.attempt))}::integer[]
      ) as held (host_id, id, attempt) using (host_id, id, attempt)
      where turn.state = 'running'
      for no key update of turn skip locked
    )
    update turns turn set lease_until = ${fromNow(leaseMs)}
    from free where turn.host_id = free.host_id and turn.id = free.id
    returning turn.id`;
  return renewed.map(turn => turn.id);
}

/**
 * Stores the answer. False, without a write, where the attempt is outdated or the deadline has passed. The deadline
 * may also pass before the commit, which then fails: see `isTooLate`.
 */
export async function finishTurn({ tx, hostId }: HostScope, turn: FinishedTurn): Promise<boolean> {
  const { jobId, attempt, answer, tokens, receipt } = turn;
  const finished = await rowsOf(tx)`
    with ${conversationOf(hostId, jobId)}, finished as (
      update turns set state = 'answered', finished_at = clock_timestamp(),
        tokens = ${jsonOf(tokens)}, receipt = ${jsonOf(receipt ?? null)}
      from conversation
      where turns.host_id = conversation.host_id and turns.id = ${jobId}
        and turns.conversation_id = conversation.id and turns.attempt = ${attempt}
        and turns.state = 'running' and turns.deadline > clock_timestamp()
      returning turns.host_id, turns.conversation_id, turns.id, turns.rehearsal
    ), message as (
      insert into messages (host_id, conversation_id, turn_id, author, content, rehearsal)
      select host_id, conversation_id, id, 'assistant', ${answer}::text, rehearsal from finished where ${answer} <> ''
      on conflict (host_id, turn_id, author) do nothing
      returning host_id, conversation_id, created_at
    ), ${scheduleInsight(sql`finished where not rehearsal`)}, ${touchConversation}
    select from finished`;
  return finished.length > 0;
}

/** Abandons the turn: it becomes `unanswered`. False where the attempt is outdated. */
export function abandonTurn(scope: HostScope, turn: Pick<HeldTurn, 'jobId' | 'attempt'>): Promise<boolean> {
  return abandon(scope, turn.jobId, turn.attempt);
}

interface Decision extends Conversation {
  readonly done: boolean;
  readonly expired: boolean;
  /** Null where the turn is not claimed; unless it is `running`, no conversation is returned. */
  readonly state: 'waiting' | 'running' | null;
  readonly attempt: number;
}

/** Decides precedence and applies its effects, under the lock of the conversation. */
async function decideClaim({ tx, hostId }: HostScope, claim: TurnClaim): Promise<Decision> {
  const { jobId, conversationId, arrivedAt, question, isRehearsal = false, leaseMs } = claim;
  // Measured here, because the claim may have waited for the lock.
  const remainingMs = claim.remainingMs();
  const [decision] = await rowsOf<Decision>(tx)`
    with decision as (
      select
        coalesce((select state = 'answered' from turns
          where host_id = ${hostId} and id = ${jobId}), false) as done,
        ${remainingMs}::double precision <= 0 as expired,
        ${isBehindAnother(hostId, claim)} as busy
    ), claimed as (
      insert into turns as turn
        (host_id, id, conversation_id, state, attempt, arrived_at, deadline, lease_until, question, rehearsal)
      select ${hostId}, ${jobId}, ${conversationId}, case when busy then 'waiting' else 'running' end,
        case when busy then 0 else 1 end, ${timeOf(arrivedAt)}, ${fromNow(remainingMs)}, ${fromNow(leaseMs)}, ${question ?? null},
        ${isRehearsal}
      from decision where not done and not expired
      on conflict (host_id, id) do update
        set state = excluded.state, attempt = turn.attempt + excluded.attempt, lease_until = excluded.lease_until,
          deadline = excluded.deadline, finished_at = null
        where turn.conversation_id = excluded.conversation_id
      returning host_id, conversation_id, turn.id, state, attempt, question, rehearsal
    ), ${claimEffects}
    select decision.done, decision.expired, claimed.state, claimed.attempt, updated_conversation.*
    from decision left join claimed on true left join updated_conversation on true`;
  if (!decision) throw new Error('The claim of a turn returned no row.');
  return decision;
}

function isBehindAnother(hostId: string, { jobId, conversationId, arrivedAt }: TurnClaim): Fragment {
  return sql`exists (
    select from turns other
    where other.host_id = ${hostId} and other.conversation_id = ${conversationId} and other.id <> ${jobId}
      and other.lease_until > statement_timestamp()
      and (other.state = 'running' or (
        other.state = 'waiting' and other.deadline > statement_timestamp()
        and (other.arrived_at, other.id) < (${timeOf(arrivedAt)}, ${jobId}))))`;
}

/**
 * Effects of a running turn: other running turns lose it, the question is stored, a closed conversation is reopened.
 */
const claimEffects = sql`superseded as (
  update turns other set state = 'waiting' from claimed
  where claimed.state = 'running' and other.state = 'running' and other.id <> claimed.id
    and other.host_id = claimed.host_id and other.conversation_id = claimed.conversation_id
), message as (
  insert into messages (host_id, conversation_id, turn_id, author, content, reopens, rehearsal)
  select claimed.host_id, conversation_id, claimed.id, 'user', question, closed, rehearsal
  from claimed join conversations conversation
    on conversation.host_id = claimed.host_id and conversation.id = claimed.conversation_id
  where state = 'running' and question is not null
  on conflict (host_id, turn_id, author) do nothing
  returning created_at as question_at
), updated_conversation as (
  update conversations set
    closed = closed and question_at is null,
    reopened_at = case when closed and question_at is not null then question_at else reopened_at end,
    last_message_at = coalesce(question_at, last_message_at),
    updated_at = now()
  from claimed left join message on true
  where claimed.state = 'running'
    and conversations.host_id = claimed.host_id and conversations.id = claimed.conversation_id
  returning ${conversationColumns}
)`;

/** A null attempt matches any holder of the turn. */
async function abandon({ tx, hostId }: HostScope, jobId: string, attempt: number | null): Promise<boolean> {
  const abandoned = await rowsOf(tx)`
    with ${conversationOf(hostId, jobId)}, abandoned as (
      update turns set state = 'unanswered', finished_at = clock_timestamp() from conversation
      where turns.host_id = conversation.host_id and turns.id = ${jobId}
        and turns.conversation_id = conversation.id and turns.state in ('waiting', 'running')
        and turns.attempt = coalesce(${attempt}::integer, turns.attempt)
      returning turns.host_id, turns.conversation_id, turns.id, turns.question, turns.rehearsal
    ), message as (
      insert into messages (host_id, conversation_id, turn_id, author, content, rehearsal)
      select host_id, conversation_id, id, 'user', question, rehearsal from abandoned where question is not null
      on conflict (host_id, turn_id, author) do nothing
      returning host_id, conversation_id, created_at
    ), ${touchConversation}
    select from abandoned`;
  return abandoned.length > 0;
}

/** Locks the conversation before the turn: the other order would deadlock with a claim. */
function conversationOf(hostId: string, jobId: string): Fragment {
  return sql`conversation as (
    select host_id, id from conversations
    where host_id = ${hostId}
      and id = (select conversation_id from turns where host_id = ${hostId} and id = ${jobId})
    for no key update
  )`;
}

const touchConversation = sql`updated_conversation as (
  update conversations set last_message_at = message.created_at, updated_at = now()
  from message where conversations.host_id = message.host_id and conversations.id = message.conversation_id
)`;

function timeOf(milliseconds: number): Fragment {
  return sql`to_timestamp(${milliseconds}::double precision / 1000)`;
}

function fromNow(milliseconds: number): Fragment {
  return sql`statement_timestamp() + ${milliseconds}::double precision * interval '1 millisecond'`;
}
