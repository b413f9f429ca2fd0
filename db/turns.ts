import type { Db } from './connection.ts';
import { type Conversation, conversationColumns } from './conversations.ts';
import { scheduleInsight } from './insights-due.ts';
import { type Fragment, jsonOf, rowsOf, sql } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

/*
 * One turn at a time per conversation, first come first served, over any number of worker processes that may die.
 *
 * A turn is known by its job's id and is in one of four states:
 *   waiting     its job was taken up while another turn of the conversation had precedence; it asks again and again;
 *   running     a worker is at it, as its attempt number so and so;
 *   answered    the answer is stored. Final;
 *   unanswered  the time ran out, or the work failed; the question is stored. Only its own job, run anew under the
 *               client's key, takes it up again.
 *
 * Waiting and running turns hold a lease, which a waiting one renews by asking and a running one by `renewLeases`.
 * A claim is decided under the lock of the conversation's row, so two claims of one conversation never overlap:
 *   - precedence has a turn that runs, or that waits, arrived earlier and is still in time, while its lease lasts.
 *     A lease that ran out means a dead worker: it holds the others up no longer than that;
 *   - who has nobody before it runs, with an attempt number one higher. That is the fence: whatever an earlier
 *     attempt of this job still does is refused, since only the running turn's present attempt may finish it;
 *   - a turn that is found running with its lease run out goes back to waiting. Its worker may be alive after all, but
 *     slow: it can neither renew nor finish any more. When the queue runs its job again, it claims anew;
 *   - a job whose turn is answered, or whose deadline passed, gets nothing.
 *
 * The question is stored as the user's message when the turn first runs, or when it is given up: once, whatever
 * happens in between. All times are compared on the database's clock, at the statement, not at the transaction's
 * beginning, for a claim may have waited for the lock. Every statement locks the conversation before the turn.
 */

export interface TurnClaim {
  readonly jobId: string;
  readonly conversationId: string;
  /** Milliseconds on any one clock, with their fractions: it only says who came first. */
  readonly arrivedAt: number;
  /** What is left of its time at that moment. A span, for the clocks of two machines differ. */
  remainingMs(): number;
  /** None where the assistant is to speak unasked. */
  readonly question: string | undefined;
  /** Whoever asks only tries the assistant: no report counts it, and no insight is made for it. */
  readonly isRehearsal?: boolean;
  readonly leaseMs: number;
}

export type ClaimedTurn =
  | { readonly kind: 'claimed'; readonly attempt: number; readonly conversation: Conversation }
  | { readonly kind: 'busy' }
  | { readonly kind: 'no-conversation' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'done' };

/** A turn as held by one worker: the attempt tells it from the same turn in another's hands. */
export interface HeldTurn {
  readonly hostId: string;
  readonly jobId: string;
  readonly attempt: number;
}

export interface FinishedTurn {
  readonly jobId: string;
  readonly attempt: number;
  /** Empty where the assistant keeps quiet: then nothing is said. */
  readonly answer: string;
  readonly tokens: readonly { readonly model: string; readonly tokens: number }[];
  readonly receipt: unknown;
}

/** A closed conversation in which a question is taken up is open again, and what came before is no longer context. */
export async function claimTurn(scope: HostScope, claim: TurnClaim): Promise<ClaimedTurn> {
  const [locked] = await rowsOf(scope.tx)`
    select from conversations where host_id = ${scope.hostId} and id = ${claim.conversationId} for no key update`;
  if (!locked) return { kind: 'no-conversation' };
  const { done, expired, state, attempt, ...conversation } = await decideClaim(scope, claim);
  if (done) return { kind: 'done' };
  if (expired) {
    await giveUp(scope, claim.jobId, null);
    return { kind: 'expired' };
  }
  if (state === null) throw new Error(`Turn ${claim.jobId} belongs to another conversation.`);
  return state === 'waiting' ? { kind: 'busy' } : { kind: 'claimed', attempt, conversation };
}

/**
 * Keeps the turns of this process; gives the ids of those it still holds. The others have been taken from it, or are being
 * written to: one that is slow to commit may not cost all others their leases.
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
 * Stores the answer. False, and nothing is stored, where the attempt is not the present one or the time is up. It may be
 * up only when the transaction commits: then that fails, by `isTooLate`.
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
    ), said as (
      insert into messages (host_id, conversation_id, turn_id, author, content, rehearsal)
      select host_id, conversation_id, id, 'assistant', ${answer}::text, rehearsal from finished where ${answer} <> ''
      on conflict (host_id, turn_id, author) do nothing
      returning host_id, conversation_id, created_at
    ), ${scheduleInsight(sql`finished where not rehearsal`)}, ${touchConversation}
    select from finished`;
  return finished.length > 0;
}

/** Gives the turn up: the question stays, unanswered. False where the attempt is not the present one. */
export function abandonTurn(scope: HostScope, turn: Pick<HeldTurn, 'jobId' | 'attempt'>): Promise<boolean> {
  return giveUp(scope, turn.jobId, turn.attempt);
}

interface Decision extends Conversation {
  readonly done: boolean;
  readonly expired: boolean;
  /** Null where the turn is not to be claimed; without `running` there is no conversation beside it. */
  readonly state: 'waiting' | 'running' | null;
  readonly attempt: number;
}

/** Under the lock of the conversation: who has precedence, and all that follows from it. */
async function decideClaim({ tx, hostId }: HostScope, claim: TurnClaim): Promise<Decision> {
  const { jobId, conversationId, arrivedAt, question, isRehearsal = false, leaseMs } = claim;
  // Measured now, since the claim may have waited for the lock.
  const remainingMs = claim.remainingMs();
  const [decision] = await rowsOf<Decision>(tx)`
    with asked as (
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
      from asked where not done and not expired
      on conflict (host_id, id) do update
        set state = excluded.state, attempt = turn.attempt + excluded.attempt, lease_until = excluded.lease_until,
          deadline = excluded.deadline, finished_at = null
        where turn.conversation_id = excluded.conversation_id
      returning host_id, conversation_id, turn.id, state, attempt, question, rehearsal
    ), ${claimEffects}
    select asked.done, asked.expired, claimed.state, claimed.attempt, opened.*
    from asked left join claimed on true left join opened on true`;
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

/** Once a turn runs: others that did lose it, the question is said, and a closed conversation is open again. */
const claimEffects = sql`lapsed as (
  update turns other set state = 'waiting' from claimed
  where claimed.state = 'running' and other.state = 'running' and other.id <> claimed.id
    and other.host_id = claimed.host_id and other.conversation_id = claimed.conversation_id
), said as (
  insert into messages (host_id, conversation_id, turn_id, author, content, reopens, rehearsal)
  select claimed.host_id, conversation_id, claimed.id, 'user', question, closed, rehearsal
  from claimed join conversations conversation
    on conversation.host_id = claimed.host_id and conversation.id = claimed.conversation_id
  where state = 'running' and question is not null
  on conflict (host_id, turn_id, author) do nothing
  returning created_at as said_at
), opened as (
  update conversations set
    closed = closed and said_at is null,
    reopened_at = case when closed and said_at is not null then said_at else reopened_at end,
    last_message_at = coalesce(said_at, last_message_at),
    updated_at = now()
  from claimed left join said on true
  where claimed.state = 'running'
    and conversations.host_id = claimed.host_id and conversations.id = claimed.conversation_id
  returning ${conversationColumns}
)`;

/** Without an attempt: whoever holds the turn. */
async function giveUp({ tx, hostId }: HostScope, jobId: string, attempt: number | null): Promise<boolean> {
  const givenUp = await rowsOf(tx)`
    with ${conversationOf(hostId, jobId)}, given_up as (
      update turns set state = 'unanswered', finished_at = clock_timestamp() from conversation
      where turns.host_id = conversation.host_id and turns.id = ${jobId}
        and turns.conversation_id = conversation.id and turns.state in ('waiting', 'running')
        and turns.attempt = coalesce(${attempt}::integer, turns.attempt)
      returning turns.host_id, turns.conversation_id, turns.id, turns.question, turns.rehearsal
    ), said as (
      insert into messages (host_id, conversation_id, turn_id, author, content, rehearsal)
      select host_id, conversation_id, id, 'user', question, rehearsal from given_up where question is not null
      on conflict (host_id, turn_id, author) do nothing
      returning host_id, conversation_id, created_at
    ), ${touchConversation}
    select from given_up`;
  return givenUp.length > 0;
}

/** Locks it: with the turn locked first, a claim and a finish could wait for each other for ever. */
function conversationOf(hostId: string, jobId: string): Fragment {
  return sql`conversation as (
    select host_id, id from conversations
    where host_id = ${hostId}
      and id = (select conversation_id from turns where host_id = ${hostId} and id = ${jobId})
    for no key update
  )`;
}

const touchConversation = sql`touched as (
  update conversations set last_message_at = said.created_at, updated_at = now()
  from said where conversations.host_id = said.host_id and conversations.id = said.conversation_id
)`;

function timeOf(milliseconds: number): Fragment {
  return sql`to_timestamp(${milliseconds}::double precision / 1000)`;
}

function fromNow(milliseconds: number): Fragment {
  return sql`statement_timestamp() + ${milliseconds}::double precision * interval '1 millisecond'`;
}
