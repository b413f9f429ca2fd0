import { type Fragment, jsonOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import {
  isAnsweredWithNewer,
  isSupersedable,
  isSuperseding,
  joinNewer,
  type SupersededTurn,
  sortQuestions,
  supersedeEarlier,
  takeOpenQuestions,
} from './bursts.ts';
import { type Conversation, conversationColumns } from './conversations.ts';
import { scheduleInsight } from './insights-due.ts';
import { fromNow, type TurnClaim, timeOf } from './turn-claim.ts';
import type { HeldTurn } from './turn-leases.ts';

/*
 * One turn at a time per conversation, in the order of arrival, across any number of worker processes that may die.
 *
 * The first turn of a job has its id. A turn is in one of four states:
 *   waiting     its job has started while another turn of the conversation had precedence; it polls;
 *   running     a worker is processing it, under an attempt number;
 *   answered    the answer is stored. Final;
 *   unanswered  abandoned: the deadline passed or the work failed; the question is stored. Its job may resume it, unless
 *               a newer turn superseded it (`bursts.ts`): that is final.
 *
 * Waiting and running turns hold a lease: polling renews it for a waiting turn, `renewLeases` (turn-leases.ts) for a running one. A
 * claim is decided under the row lock of the conversation, so two claims of one conversation never overlap:
 * - A running turn has precedence, or a waiting one that arrived earlier and is before its deadline, while its lease
 *   lasts. An expired lease means a dead worker, which delays the others no longer than that.
 * - A turn without a predecessor runs under the next attempt number, the fence: an older attempt cannot finish it.
 * - A running turn whose lease has expired goes back to waiting. Its worker may be slow and not dead, but can neither
 *   renew nor finish any more. When the queue runs its job again, it claims again.
 * - A new job under the key of another whose turn runs has to wait, and changes nothing, while that lease lasts.
 * - A job whose turn is answered or superseded, or whose deadline has passed, gets nothing.
 *
 * The question is stored as a user message when the turn first runs, or when it is abandoned: exactly once. All times
 * are compared on the database's clock, at the statement and not at the start of the transaction, because a claim may
 * have waited for the lock. A statement that locks a conversation and a turn locks the conversation first.
 */

export type TurnClaimResult =
  | {
      readonly kind: 'claimed';
      readonly attempt: number;
      readonly conversation: Conversation;
      /** How many unanswered questions of earlier turns it reads. */
      readonly openQuestions: number;
    }
  | { readonly kind: 'busy' }
  /** Turns of its burst were ended, maybe this one: store their replies, commit, and claim again. */
  | { readonly kind: 'burst-changed'; readonly superseded: readonly SupersededTurn[] }
  | { readonly kind: 'no-conversation' }
  | { readonly kind: 'expired' }
  /** It was answered or superseded before, or is that of another request under the same key, which is forgotten. */
  | { readonly kind: 'has-reply' };

export interface FinishedTurn {
  readonly turnId: string;
  readonly attempt: number;
  /** Empty where the assistant stays silent: then no message is stored. */
  readonly answer: string;
  readonly payments?: readonly string[];
  readonly checked?: readonly [sources: readonly unknown[], unsupported: readonly unknown[]];
  readonly tokens: readonly { readonly model: string; readonly tokens: number }[];
  readonly receipt: unknown;
}

/** Claims the turn. A question reopens a closed conversation; earlier messages are then no longer context. */
export async function claimTurn(scope: HostScope, claim: TurnClaim): Promise<TurnClaimResult> {
  const [locked] = await rowsOf(scope.tx)`
    select from conversations where host_id = ${scope.hostId} and id = ${claim.conversationId} for no key update`;
  if (!locked) return { kind: 'no-conversation' };
  const { done, held, expired, joins, supersedes, state, attempt, openQuestions, ...conversation } =
    await decideClaim(scope, claim);
  if (done) return { kind: 'has-reply' };
  if (held) return { kind: expired ? 'expired' : 'busy' };
  if (expired) {
    await abandon(scope, claim.turnId, null);
    return { kind: 'expired' };
  }
  if (joins) return { kind: 'burst-changed', superseded: await joinNewer(scope, claim) };
  if (state === null) throw new Error(`Turn ${claim.turnId} belongs to another conversation.`);
  if (supersedes) return { kind: 'burst-changed', superseded: await supersedeEarlier(scope, claim) };
  if (state === 'waiting') return { kind: 'busy' };
  if (openQuestions > 0) await sortQuestions(scope, claim);
  return { kind: 'claimed', attempt, openQuestions, conversation };
}

/**
 * Stores the answer. False, without a write, where the attempt is outdated or the deadline has passed. The deadline
 * may also pass before the commit, which then fails: see `isTooLate`.
 */
export async function finishTurn({ tx, hostId }: HostScope, turn: FinishedTurn): Promise<boolean> {
  const { turnId, attempt, answer, payments = [], tokens, receipt, checked = [[], []] } = turn;
  const [sources = '[]', unsupported = '[]'] = checked.map(jsonOf);
  const finished = await rowsOf(tx)`
    with ${conversationOf(hostId, turnId)}, finished as (
      update turns set state = 'answered', finished_at = clock_timestamp(),
        tokens = ${jsonOf(tokens)}, receipt = ${jsonOf(receipt ?? null)}
      from conversation
      where turns.host_id = conversation.host_id and turns.id = ${turnId}
        and turns.conversation_id = conversation.id and turns.attempt = ${attempt}
        and turns.state = 'running' and turns.deadline > clock_timestamp()
      returning turns.host_id, turns.conversation_id, turns.id, turns.rehearsal
    ), message as (
      insert into messages (host_id, conversation_id, turn_id, author, content, rehearsal, payments, sources, unsupported)
      select host_id, conversation_id, id, 'assistant', ${answer}::text, rehearsal,
        nullif(${payments}::text[], '{}'), nullif(${sources}::jsonb, '[]'), nullif(${unsupported}::jsonb, '[]') from finished where ${answer} <> ''
      on conflict (host_id, turn_id, author) do nothing
      returning host_id, conversation_id, created_at
    ), ${scheduleInsight(sql`finished where not rehearsal`)}, ${touchConversation}
    select from finished`;
  return finished.length > 0;
}

/** Abandons the turn: it becomes `unanswered`. False where the attempt is outdated. */
export function abandonTurn(scope: HostScope, turn: Pick<HeldTurn, 'turnId' | 'attempt'>): Promise<boolean> {
  return abandon(scope, turn.turnId, turn.attempt);
}

/** Of the conversation all fields are null unless the state is `running`. */
interface Decision extends Conversation {
  readonly done: boolean;
  /** Another job of the same key runs the turn. */
  readonly held: boolean;
  readonly expired: boolean;
  /** A newer turn answers this question, too, or has answered it: this one is not claimed. */
  readonly joins: boolean;
  /** There are earlier turns to end. */
  readonly supersedes: boolean;
  /** Null where the turn is not claimed. */
  readonly state: 'waiting' | 'running' | null;
  readonly attempt: number;
  readonly openQuestions: number;
}

/** Decides precedence and applies its effects, under the lock of the conversation. */
async function decideClaim({ tx, hostId }: HostScope, claim: TurnClaim): Promise<Decision> {
  const {
    turnId,
    conversationId,
    arrivedAt,
    question,
    isRehearsal = false,
    request,
    leaseMs,
    isNewJob = false,
    isAlone = false,
  } = claim;
  // Measured here, because the claim may have waited for the lock.
  const remainingMs = claim.remainingMs();
  const [decision] = await rowsOf<Decision>(tx)`
    with own as (
      select state, superseded_by, burst_last, has_acted, reply_mac,
        ${isAnsweredWithNewer} as is_answered_with_newer,
        ${isNewJob} and state = 'running' and lease_until > statement_timestamp() as is_held
      from turns turn where host_id = ${hostId} and id = ${turnId}
    ), decision as (
      select
        coalesce((select state = 'answered' or superseded_by is not null
          or reply_mac is distinct from ${request?.bodyMac ?? null} from own), false) as done,
        coalesce((select is_held from own), false) as held,
        ${remainingMs}::double precision <= 0 as expired,
        ${isBehindAnother(hostId, claim)} as busy,
        burst.is_last,
        burst.is_last and exists (select from turns other where ${isSupersedable(hostId, claim)}) as supersedes,
        exists (select from own where is_answered_with_newer) or (not ${isAlone} and not exists (select from own where has_acted)
          and exists (select from turns other where ${isSuperseding(hostId, claim)})) as joins
      from (${isLastOfBurst(hostId, claim)}) burst
    ), claimed as (
      insert into turns as turn
        (host_id, id, conversation_id, state, attempt, arrived_at, deadline, lease_until, question, rehearsal,
         burst_last, has_acted, reply_key, reply_mac)
      select ${hostId}, ${turnId}, ${conversationId}, case when waits then 'waiting' else 'running' end,
        case when waits then 0 else 1 end, ${timeOf(arrivedAt)}, ${fromNow(remainingMs)}, ${fromNow(leaseMs)},
        ${question ?? null}, ${isRehearsal}, is_last, ${isAlone}, ${request?.idempotencyKey ?? null}, ${request?.bodyMac ?? null}
      from decision, lateral (select busy or supersedes as waits) as precedence
      where not done and not held and not expired and not joins
      on conflict (host_id, id) do update
        set state = excluded.state, attempt = turn.attempt + excluded.attempt, lease_until = excluded.lease_until,
          deadline = excluded.deadline, finished_at = null, answered_with = null, burst_last = excluded.burst_last
        where turn.conversation_id = excluded.conversation_id
      returning host_id, conversation_id, turn.id, state, attempt, arrived_at, question, rehearsal, burst_last
    ), ${claimEffects}
    select decision.done, decision.held, decision.expired, decision.joins, decision.supersedes, claimed.state, claimed.attempt,
      (select count(*) from open_questions)::integer as "openQuestions", updated_conversation.*
    from decision left join claimed on true left join updated_conversation on true`;
  if (!decision) throw new Error('The claim of a turn returned no row.');
  return decision;
}

/** A run again keeps what the first run decided: the host may have changed its setting. */
function isLastOfBurst(hostId: string, { question, burst, isAlone }: TurnClaim): Fragment {
  return sql`select ${question !== undefined && !isAlone} and coalesce((select burst_last from own),
    coalesce(${burst ?? null}, bursts) = 'last') as is_last from hosts where id = ${hostId}`;
}

function isBehindAnother(hostId: string, { turnId, conversationId, arrivedAt }: TurnClaim): Fragment {
  return sql`exists (
    select from turns other
    where other.host_id = ${hostId} and other.conversation_id = ${conversationId} and other.id <> ${turnId}
      and other.lease_until > statement_timestamp()
      and (other.state = 'running' or (
        other.state = 'waiting' and other.deadline > statement_timestamp()
        and (other.arrived_at, other.id) < (${timeOf(arrivedAt)}, ${turnId}))))`;
}

/**
 * Effects of a running turn: other running turns lose it, the question is stored, a closed conversation is reopened,
 * and the open questions are its own from now on.
 */
const claimEffects = sql`preempted as (
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
), ${takeOpenQuestions}`;

/** A null attempt matches any holder of the turn. */
async function abandon({ tx, hostId }: HostScope, turnId: string, attempt: number | null): Promise<boolean> {
  const abandoned = await rowsOf(tx)`
    with ${conversationOf(hostId, turnId)}, abandoned as (
      update turns set state = 'unanswered', finished_at = clock_timestamp() from conversation
      where turns.host_id = conversation.host_id and turns.id = ${turnId}
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
function conversationOf(hostId: string, turnId: string): Fragment {
  return sql`conversation as (
    select host_id, id from conversations
    where host_id = ${hostId}
      and id = (select conversation_id from turns where host_id = ${hostId} and id = ${turnId})
    for no key update
  )`;
}

const touchConversation = sql`updated_conversation as (
  update conversations set last_message_at = message.created_at, updated_at = now()
  from message where conversations.host_id = message.host_id and conversations.id = message.conversation_id
)`;
