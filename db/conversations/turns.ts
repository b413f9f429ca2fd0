import type { Db } from '../connection.ts';
import { addEventsOf, type NewEvent } from '../events/events.ts';
import type { Runner } from '../host-transaction.ts';
import type { Host } from '../hosts/hosts.ts';
import { type NewReply, storeReply } from '../replies.ts';
import { type Fragment, jsonOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { markUnread } from './attachments.ts';
import { historyAfter } from './chat-histories.ts';
import { type Conversation, conversationColumns, DEFAULT_PLATFORM } from './conversations.ts';
import { scheduleInsight } from './insights-due.ts';

/*
 * One turn at a time per conversation, in the order of arrival, across any number of worker processes that may die.
 *
 * The first turn of a job has its id. A turn is in one of four states:
 *   waiting     its job has started while another turn of the conversation had precedence; it polls;
 *   running     a worker is processing it, under an attempt number;
 *   answered    the answer is stored. Final;
 *   unanswered  abandoned: the deadline passed or the work failed; the question is stored. Its job may resume it, unless
 *               a newer turn superseded it (`bursts.ts`): that is final. `abandonOverdueTurns` abandons for a worker that could not.
 *
 * Waiting and running turns hold a lease: polling renews it for a waiting turn, `renewLeases` for a running one. If a newer
 * turn that has acted is answering a turn's question, that turn polls, too, but keeps its state and renews no lease. A claim
 * is decided under the row lock of the conversation, so two claims of one conversation never overlap:
 * - A running turn has precedence, or a waiting one that arrived earlier and is before its deadline, while its lease
 *   lasts. An expired lease means a dead worker, which delays the others no longer than that.
 * - A turn without a predecessor runs under the next attempt number, the fence: an older attempt cannot finish it.
 * - A running turn whose lease has expired goes back to waiting. Its worker may be slow and not dead, but can neither
 *   renew nor finish any more. When the queue runs its job again, it claims again.
 * - A new job under the key of another whose turn runs has to wait, and changes nothing, while that lease lasts.
 * - A job whose turn is answered or superseded, or whose deadline has passed, gets nothing.
 *
 * A turn with attachments first runs to read them, beside the turns of its burst, and claims again when its question is known.
 *
 * The question is stored as a user message when the turn first runs with it, or when it is abandoned: exactly once. All times
 * are compared on the database's clock, at the statement and not at the start of the transaction, because a claim may
 * have waited for the lock. A statement that locks a conversation and a turn locks the conversation first.
 */

/** The claim of a turn for its conversation. */
export interface TurnClaim {
  readonly turnId: string;
  readonly conversationId: string;
  /** Set to create the conversation if the host has none of this id. */
  readonly opensConversation?: boolean;
  /** The avatar that answers; without it the turn is not claimed. Undefined: the host's default. */
  readonly subSlug?: string | undefined;
  /** Milliseconds with fractions, used only to order arrivals. */
  readonly arrivedAt: number;
  /** Remaining time until the deadline; a duration, because clocks of machines differ. */
  remainingMs(): number;
  /** Undefined if the assistant writes first. */
  readonly question: string | undefined;
  /** Set while it reads its attachments, which are its question: it ends no turn, and no turn ends it. Then it claims again. */
  readonly isReading?: boolean;
  /** Set for a test of the assistant: not counted in reports, without an insight. */
  readonly isRehearsal?: boolean;
  /** Whether its question supersedes the turns before it; `none`: and no turn supersedes it. Undefined: the host's setting. */
  readonly burst?: Host['bursts'] | 'none' | undefined;
  /** Names the person whose turns are counted, where the conversation knows none yet. */
  readonly asker?: { readonly email?: string | undefined; readonly phone?: string | undefined } | undefined;
  /** A newer turn that supersedes this one stores its reply under this key. */
  readonly request?: { readonly idempotencyKey?: string | undefined; readonly bodyMac?: string | undefined };
  readonly leaseMs: number;
  /**
   * Set for a new job, which waits while another of the same key holds the lease of the turn, whose answer is paid for. The
   * queue runs a job again only when its worker is gone: that takes the turn over at once.
   */
  readonly isNewJob?: boolean;
}

export type TurnClaimResult =
  | {
      readonly kind: 'claimed';
      readonly attempt: number;
      readonly conversation: Conversation;
      /** The number of unanswered questions of earlier turns that it reads. */
      readonly openQuestions: number;
    }
  /** `attempt` is the number of its last run, 0 before the first; undefined if another job runs it. */
  | { readonly kind: 'busy'; readonly attempt: number | undefined }
  /** Turns of its burst were ended, maybe this one: the caller stores their replies, commits, and claims again. */
  | { readonly kind: 'burst-changed'; readonly superseded: readonly SupersededTurn[] }
  | { readonly kind: 'no-avatar' }
  | { readonly kind: 'no-conversation' }
  | { readonly kind: 'expired' }
  /** The person has had all turns of an hour. */
  | { readonly kind: 'person-limit'; readonly retryAfter: number }
  /** The turn was answered or superseded before, or belongs to another request under the same key, which is forgotten. */
  | { readonly kind: 'has-reply' };

/** A turn that ended because a newer one answers its question. */
export interface SupersededTurn {
  readonly turnId: string;
  readonly supersededBy: string;
  readonly question: string | null;
  readonly replyKey: string | null;
  readonly replyMac: string | null;
}

/** A run of a turn. */
export interface TurnAttempt {
  readonly turnId: string;
  readonly attempt: number;
}

/** A turn in the hands of one worker, identified by its attempt. */
export interface LeasedTurn extends TurnAttempt {
  readonly hostId: string;
}

export interface FinishedTurn extends TurnAttempt {
  /** Empty if the assistant stays silent: then no message is stored. */
  readonly answer: string;
  readonly payments?: readonly string[];
  readonly checked?: readonly [sources: readonly unknown[], unsupported: readonly unknown[]];
  readonly tokens: readonly { readonly model: string; readonly tokens: number }[];
  readonly receipt: unknown;
  /**
   * Set if the answer is the text for a failure, with that failure's code: the conversation still waits for an answer. It is
   * told once for a turn.
   */
  readonly failedCode?: number | undefined;
  /** Minutes until the person counts as silent after the answer; null: never. */
  readonly idleAfterMinutes?: number | null;
  /** The digest of the dialogue, for a chat request that names neither its user nor a conversation. */
  readonly chatAsked?: string | undefined;
  readonly events?: readonly NewEvent[];
  /** Set if it closes the conversation, or hands it over: its insight is made at once. */
  readonly isLast?: boolean;
  /** The reply to the turn's job. */
  readonly reply?: NewReply;
  /** Nothing is stored after it, so COMMIT is sent behind it. */
  readonly commits?: boolean;
}

/** Claims the turn: see `claim_turn` in functions/turns.sql. */
export async function claimTurn(scope: HostScope, claim: TurnClaim): Promise<TurnClaimResult> {
  const { tx, hostId } = scope;
  const { turnId, conversationId, arrivedAt, question = null, burst = null, leaseMs } = claim;
  const { isRehearsal = false, isNewJob = false, isReading = false } = claim;
  const { opensConversation = false, subSlug = null, request, asker } = claim;
  const [decided] = await rowsOf<Decision>(tx)`
    select outcome, run, open_questions as "openQuestions", superseded, ${conversationColumns}
    from claim_turn(${hostId}, ${subSlug}, ${conversationId}, ${opensConversation ? DEFAULT_PLATFORM : null}, ${turnId},
      to_timestamp(${arrivedAt}::double precision / 1000), ${claim.remainingMs()}, ${leaseMs}, ${question}, ${isRehearsal},
      ${burst}, ${request?.idempotencyKey ?? null}, ${request?.bodyMac ?? null}, ${isNewJob},
      ${isReading}, ${asker?.email ?? null}, ${asker?.phone ?? null}) decision
    cross join lateral (select (decision.conversation).*) conversations`;
  if (!decided) throw new Error('The claim of a turn returned no row.');
  const { outcome, run, openQuestions, superseded, ...conversation } = decided;
  if (outcome === 'burst-changed') return { kind: outcome, superseded };
  if (outcome === 'busy') return { kind: outcome, attempt: run ?? undefined };
  if (outcome === 'person-limit') return { kind: outcome, retryAfter: run ?? 1 };
  if (outcome === 'expired' && isReading) await markUnread(scope, turnId);
  if (outcome !== 'claimed') return { kind: outcome };
  if (openQuestions > 0) await sortQuestions(scope, claim);
  return { kind: outcome, attempt: run ?? 0, openQuestions, conversation };
}

/**
 * Puts the questions that a turn answers after the last answer, in order of arrival. A turn that has acted may have been
 * answered since they were asked, and turns may be claimed in another order than they arrive.
 */
async function sortQuestions(
  { tx, hostId }: HostScope,
  { conversationId, turnId }: { readonly conversationId: string; readonly turnId: string },
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

/**
 * Renews the leases of this process and returns the ids of the turns that it still holds. The other turns were claimed by
 * another worker, or are locked: one slow commit must not cost the others their leases.
 */
export async function renewLeases(
  db: Runner,
  leased: readonly LeasedTurn[],
  leaseMs: number,
): Promise<string[]> {
  const renewed = await rowsOf<{ id: string }>(db)`
    with unlocked_turn as (
      select turn.host_id, turn.id from turns turn
      join ${leasedRows(leased)} using (host_id, id, attempt)
      where turn.state = 'running'
      for no key update of turn skip locked
    )
    update turns turn set lease_until = statement_timestamp() + ${leaseMs}::double precision * interval '1 millisecond'
    from unlocked_turn where turn.host_id = unlocked_turn.host_id and turn.id = unlocked_turn.id
    returning turn.id`;
  return renewed.map(turn => turn.id);
}

/** Rows to join with turns, as `leased_turn`. */
export function leasedRows(leased: readonly LeasedTurn[]): Fragment {
  return sql`unnest(
    ${leased.map(turn => turn.hostId)}::uuid[],
    ${leased.map(turn => turn.turnId)}::text[],
    ${leased.map(turn => String(turn.attempt))}::integer[]
  ) as leased_turn (host_id, id, attempt)`;
}

/**
 * Stores the answer, with its events and the reply of its job. Returns false, and nothing may be committed, if the attempt is
 * outdated, the deadline has passed, or the job has a reply. The deadline may also pass before the commit, which then fails:
 * see `isTooLate`.
 */
export async function finishTurn({ tx, hostId }: HostScope, turn: FinishedTurn): Promise<boolean> {
  const {
    turnId,
    attempt,
    answer,
    payments = [],
    tokens,
    receipt,
    checked = [[], []],
    events = [],
    chatAsked,
    isLast = false,
    failedCode = null,
    idleAfterMinutes = null,
    reply,
    commits = false,
  } = turn;
  const [sources = '[]', unsupported = '[]'] = checked.map(jsonOf);
  const finished = rowsOf(tx, { isLast: commits })`
    with ${conversationOf(hostId, turnId)}, earlier_run as (
      select failed_code from turns where host_id = ${hostId} and id = ${turnId}
    ), finished_turn as (
      update turns set state = 'answered', finished_at = clock_timestamp(),
        failed_code = ${failedCode}, tokens = ${jsonOf(tokens)}, receipt = ${jsonOf(receipt ?? null)}
      from conversation
      where turns.host_id = conversation.host_id and turns.id = ${turnId}
        and turns.conversation_id = conversation.id and turns.attempt = ${attempt}
        and turns.state = 'running' and turns.deadline > clock_timestamp()
      returning turns.host_id, turns.conversation_id, turns.id, turns.rehearsal, turns.arrived_at, turns.failed_code
    ), message as (
      insert into messages (host_id, conversation_id, turn_id, author, content, rehearsal, payments, sources, unsupported)
      select host_id, conversation_id, id, 'assistant', ${answer}::text, rehearsal,
        nullif(${payments}::text[], '{}'), nullif(${sources}::jsonb, '[]'), nullif(${unsupported}::jsonb, '[]')
      from finished_turn where ${answer} <> ''
      on conflict (host_id, turn_id, author) do nothing
      returning host_id, conversation_id, created_at
    ), ${scheduleInsight(sql`finished_turn where not rehearsal and ${answer} <> ''`, isLast)}, ${touchConversation(idleAfterMinutes, historyAfter(chatAsked, answer))},
    event_note as (
      select ${addEventsOf(hostId, events)}, case when finished_turn.failed_code is not null and earlier_run.failed_code is null
        then tell_failure(host_id, id, conversation_id, finished_turn.failed_code) end
      from finished_turn cross join earlier_run
    ),
    stored_reply as (${reply ? storeReply([hostId], reply, sql`finished_turn`) : sql`select from finished_turn`})
    select ${commits ? sql`1 / count(*)::integer` : sql``} from finished_turn
    where (select count(*) from event_note) = 1 and exists (select from stored_reply)`;
  // Where nothing may be committed it divides by zero, so that a COMMIT behind it stores nothing.
  return finished.then(
    rows => rows.length > 0,
    error => error.code !== '22012' && Promise.reject(error as Error),
  );
}

export interface AbandonedTurn extends TurnAttempt {
  /** The status that its caller gets. Undefined: it did not fail, but was cancelled or refused. */
  readonly code?: number | undefined;
  /** Its question is not known before they are read. */
  readonly hasAttachments?: boolean;
}

/** Abandons the turn: it becomes `unanswered`, and a failure is told. Returns false if the attempt is outdated. */
export async function abandonTurn(
  scope: HostScope,
  { turnId, attempt, code, hasAttachments }: AbandonedTurn,
): Promise<boolean> {
  const [turn] = await rowsOf<{ isAbandoned: boolean }>(scope.tx)`
    select abandon_turn(${scope.hostId}, ${turnId}, ${attempt}, ${code ?? null}) as "isAbandoned"`;
  if (!turn?.isAbandoned) return false;
  if (hasAttachments) await markUnread(scope, turnId);
  return true;
}

const OVERDUE_BATCH_SIZE = 100;

/**
 * Abandons turns of all hosts whose time and lease are over, which nobody else will end: their worker died, or the database was
 * away when it gave them up, and their job ended without them or was lost. Returns their number. Works as the owner. Turns
 * without a question, of a rebounce or of attachments never read, are left as they are: the index has none of those.
 */
export async function abandonOverdueTurns(db: Db): Promise<number> {
  const overdue = await rowsOf<LeasedTurn>(db)`
    select host_id as "hostId", id as "turnId", attempt from turns
    where finished_at is null and (receipt is not null or question is not null)
      and deadline < clock_timestamp() and lease_until < clock_timestamp()
    order by host_id, id limit ${OVERDUE_BATCH_SIZE}`;
  let abandoned = 0;
  // Turns are abandoned one by one: locking several conversations may deadlock with others.
  for (const { hostId, turnId, attempt } of overdue) {
    // Turns that are renewed meanwhile are skipped, and so are locked conversations, so that nothing waits for them.
    const [turn] = await rowsOf<{ isAbandoned: boolean }>(db)`
      with overdue_turn as materialized (
        select turn.id from turns turn join conversations conversation
          on conversation.host_id = turn.host_id and conversation.id = turn.conversation_id
        where turn.host_id = ${hostId} and turn.id = ${turnId}
          and turn.deadline < clock_timestamp() and turn.lease_until < clock_timestamp()
        for no key update of conversation skip locked
      )
      select abandon_turn(${hostId}, id, ${attempt}, 408) as "isAbandoned" from overdue_turn`;
    if (turn?.isAbandoned) abandoned += 1;
  }
  return abandoned;
}

/** Conversations in one run, which comes every few seconds. */
const IDLE_BATCH_SIZE = 500;

/**
 * Tells once of each conversation of all hosts whose person was silent for as long as its avatar waits after an answer. Skips
 * conversations that are closed, that a staff member attends or that have asked for one. Works as the owner.
 */
export async function tellIdleConversations(db: Db): Promise<void> {
  await rowsOf(db)`
    with due_conversation as materialized (
      select host_id, id from conversations where idle_due_at <= clock_timestamp()
      order by idle_due_at limit ${IDLE_BATCH_SIZE} for no key update skip locked
    ), silent_conversation as (
      update conversations set idle_due_at = null from due_conversation due
      where conversations.host_id = due.host_id and conversations.id = due.id
      returning conversations.host_id, conversations.id,
        not (closed or attended or ask_human_help or assigned_to is not null) as is_left
    )
    select add_events(silent.host_id, array[gen_random_uuid()], array['conversation.idle'],
      array[json_build_object('conversationId', silent.id, 'lastMessageAt',
        to_char(last_message.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'lastAuthor', author)::text],
      array[silent.id::text], array[''])
    from silent_conversation silent join hosts on hosts.id = silent.host_id and not hosts.disabled
    cross join lateral (
      select author, created_at from messages
      where messages.host_id = silent.host_id and conversation_id = silent.id order by seq desc limit 1
    ) last_message
    where is_left and author = 'assistant'`;
}

/** Columns that another outcome has are null. */
interface Decision extends Conversation {
  readonly outcome: TurnClaimResult['kind'];
  readonly run: number | null;
  readonly openQuestions: number;
  readonly superseded: readonly SupersededTurn[];
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

const touchConversation = (
  idleAfterMinutes: number | null,
  history: Fragment,
) => sql`updated_conversation as (
  update conversations set last_message_at = message.created_at, updated_at = now(), chat_history = ${history},
    idle_due_at = case when not rehearsal then message.created_at + ${idleAfterMinutes}::integer * interval '1 minute' end,
    -- A question that came later, and failed while it waited, is not answered with this one.
    unanswered_at = case when failed_code is not null then arrived_at when unanswered_at > arrived_at then unanswered_at end
  from message join finished_turn using (host_id, conversation_id)
  where conversations.host_id = message.host_id and conversations.id = message.conversation_id
)`;

/** Notes the steps of a flow that the turn has done. A step that was done before keeps its first turn. */
export async function markStepsDone(
  { tx, hostId }: HostScope,
  {
    conversationId,
    flowId,
    turnId,
  }: { readonly conversationId: string; readonly flowId: string; readonly turnId: string },
  keys: readonly string[],
): Promise<void> {
  await rowsOf(tx)`
    insert into flow_steps_done (host_id, conversation_id, flow_id, step_key, turn_id)
    select ${hostId}, ${conversationId}, ${flowId}, key, ${turnId} from unnest(${keys}::text[]) key
    on conflict do nothing`;
}
