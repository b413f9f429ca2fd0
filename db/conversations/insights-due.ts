import type { Db } from '../connection.ts';
import { type Fragment, returnsRow, rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import type { MaskedValue } from './conversations.ts';

export interface StoredInsight {
  /** The end user's own name for themselves; a name given by the host takes precedence. */
  readonly userName: string;
  readonly dialogueSummary: string;
  readonly mainTopic: string;
  readonly tip: string;
  readonly heatScore: number;
  readonly heatScoreDescription: string;
  readonly heatAdjustment: number;
  readonly sentimentScore: number;
  readonly sentimentScoreExplanation: string;
  readonly categories: readonly string[];
  readonly by: 'none' | 'rules' | 'model';
}

export interface InsightState extends StoredInsight {
  readonly maskedValues: readonly MaskedValue[];
  /** The last message that a model has read for the insight. */
  readonly readSeq: string;
  /** The time on the database's clock. */
  readonly asOf: Date;
}

const columns = sql`user_name as "userName", dialogue_summary as "dialogueSummary", main_topic as "mainTopic", tip, heat_score as "heatScore",
  heat_score_description as "heatScoreDescription", heat_adjustment as "heatAdjustment",
  sentiment_score as "sentimentScore", sentiment_score_explanation as "sentimentScoreExplanation", categories,
  insight_by as by`;

/** Finds the stored insight of the conversation, and how far its messages were read. */
export async function findInsight(
  { tx, hostId }: HostScope,
  conversationId: string,
): Promise<InsightState | undefined> {
  return rowOf<InsightState>(tx)`
    select ${columns}, masked_values as "maskedValues", insight_seq as "readSeq", now() as "asOf"
    from conversations where host_id = ${hostId} and id = ${conversationId}`;
}

/** `readSeq` is set if a model has read up to that message. */
export async function storeInsight(
  { tx, hostId }: HostScope,
  conversationId: string,
  insight: StoredInsight,
  readSeq?: string,
): Promise<void> {
  await rowsOf(tx)`
    update conversations set dialogue_summary = ${insight.dialogueSummary}, main_topic = ${insight.mainTopic},
      user_name = coalesce(nullif(user_name, ''), ${insight.userName}),
      tip = ${insight.tip}, heat_score = ${insight.heatScore},
      heat_score_description = ${insight.heatScoreDescription}, heat_adjustment = ${insight.heatAdjustment},
      sentiment_score = ${insight.sentimentScore},
      sentiment_score_explanation = ${insight.sentimentScoreExplanation},
      categories = ${insight.categories}::text[], insight_by = ${insight.by},
      insight_seq = greatest(insight_seq, ${readSeq ?? null}::bigint), updated_at = now()
    where host_id = ${hostId} and id = ${conversationId}`;
}

export interface InsightRun {
  readonly hostId: string;
  readonly conversationId: string;
  readonly runId: string;
  /** Attempts that have failed so far. */
  readonly attempts: number;
}

export interface NextAttempt {
  readonly afterMs: number;
  readonly attempts: number;
}

/** A step of a statement that schedules the conversations of `answered`. Each answer but the last restarts the pause. */
export function scheduleInsight(answered: Fragment, isLast: boolean): Fragment {
  return sql`insight as (
    insert into insights_due (host_id, conversation_id, due_at)
    select host_id, conversation_id, case when ${isLast} then '-infinity' else clock_timestamp() end from ${answered}
    on conflict (host_id, conversation_id) do update set due_at = excluded.due_at, again = true, tries = 0
  )`;
}

/** Ends the pause before a conversation's insight, unless that has failed before. Returns false if none is due. */
export async function hurryInsight({ tx, hostId }: HostScope, conversationId: string): Promise<boolean> {
  return returnsRow(tx)`
    update insights_due set due_at = '-infinity'
    where host_id = ${hostId} and conversation_id = ${conversationId} and tries = 0
    returning 1`;
}

/** The first pause of a host whose model gave no insight; each further failure doubles it, up to the longest. */
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 15 * 60_000;

/** Returns how long the host's insights still pause: 0 or less if they are to be tried again, undefined if the last was made. */
export async function findInsightPause({ tx, hostId }: HostScope): Promise<number | undefined> {
  const [pause] = await rowsOf<{ leftMs: number }>(tx)`
    select (extract(epoch from paused_until - clock_timestamp()) * 1000)::float8 as "leftMs"
    from insight_pauses where host_id = ${hostId}`;
  return pause?.leftMs;
}

/** Failures within a pause, which ran when it began, make it no longer. */
export async function pauseInsights({ tx, hostId }: HostScope): Promise<void> {
  await rowsOf(tx)`
    insert into insight_pauses as pause (host_id, failures, paused_until)
    values (${hostId}, 1, clock_timestamp() + ${FIRST_PAUSE_MS} * interval '1 millisecond')
    on conflict (host_id) do update set failures = least(pause.failures + 1, 100),
      paused_until = clock_timestamp()
        + least(${FIRST_PAUSE_MS} * 2.0 ^ pause.failures, ${LONGEST_PAUSE_MS}) * interval '1 millisecond'
    where pause.paused_until <= clock_timestamp()`;
}

export async function resumeInsights({ tx, hostId }: HostScope): Promise<void> {
  await rowsOf(tx)`delete from insight_pauses where host_id = ${hostId}`;
}

/** Makes the insight due at once for a closed or handed-over conversation with a message that no model has read. */
export async function scheduleLastInsight({ tx, hostId }: HostScope, conversationId: string): Promise<void> {
  await rowsOf(tx)`
    insert into insights_due (host_id, conversation_id, due_at)
    select host_id, id, '-infinity' from conversations conversation
    where host_id = ${hostId} and id = ${conversationId} and exists (
      select from messages where messages.host_id = ${hostId} and messages.conversation_id = ${conversationId}
        and seq > insight_seq and not rehearsal)
    on conflict (host_id, conversation_id) do update set due_at = excluded.due_at, again = true, tries = 0`;
}

/**
 * Claims due insights of enabled hosts: the longest due of each, then the next of each, so that a host with many delays no
 * other. An insight that did not fail is due `pauseMs` after the last answer. Works as the owner, for all hosts.
 */
export async function claimInsights(
  db: Db,
  { limit, leaseMs, pauseMs }: { readonly limit: number; readonly leaseMs: number; readonly pauseMs: number },
): Promise<InsightRun[]> {
  return rowsOf<InsightRun>(db)`
    with ranked_insight as materialized (
      select host_id, conversation_id, due_at, row_number() over (partition by host_id order by due_at) as place
      from insights_due
      where due_at <= now() and (tries > 0 or due_at <= now() - ${pauseMs} * interval '1 millisecond')
        and coalesce(lease_until <= now(), true)
        and not exists (select from hosts where hosts.id = host_id and disabled)
    ), due_insight as materialized (
      select host_id, conversation_id from insights_due join ranked_insight using (host_id, conversation_id, due_at)
      -- Again, because another worker may have claimed it meanwhile.
      where coalesce(lease_until <= now(), true)
      order by ranked_insight.place, due_at limit ${limit} for update of insights_due skip locked
    )
    update insights_due claimed_insight
    set run_id = gen_random_uuid(), lease_until = now() + ${leaseMs} * interval '1 millisecond', again = false
    from due_insight
    where claimed_insight.host_id = due_insight.host_id and claimed_insight.conversation_id = due_insight.conversation_id
    returning claimed_insight.host_id as "hostId", claimed_insight.conversation_id as "conversationId",
      run_id as "runId", tries as attempts`;
}

/** Locks the run until the transaction ends; returns false if another worker has claimed it. */
export async function lockInsight({ tx, hostId }: HostScope, run: InsightRun): Promise<boolean> {
  // The conversation is locked first, in the same order as in turns.
  await rowsOf(tx)`
    select from conversations where host_id = ${hostId} and id = ${run.conversationId} for no key update`;
  return returnsRow(tx)`
    select from insights_due
    where host_id = ${hostId} and conversation_id = ${run.conversationId} and run_id = ${run.runId} for update`;
}

/** Ends the run: done, or scheduled for a retry. A turn answered meanwhile takes precedence. */
export async function releaseInsight(
  { tx, hostId }: HostScope,
  run: InsightRun,
  next?: NextAttempt,
): Promise<void> {
  const own = sql`host_id = ${hostId} and conversation_id = ${run.conversationId} and run_id = ${run.runId}`;
  if (!next) await rowsOf(tx)`delete from insights_due where ${own} and not again`;
  await rowsOf(tx)`
    update insights_due set run_id = null, lease_until = null,
      tries = case when again then 0 else ${next?.attempts ?? 0}::smallint end,
      due_at = case when again then due_at else now() + ${next?.afterMs ?? 0} * interval '1 millisecond' end
    where ${own}`;
}
