import type { Knex } from 'knex';
import type { Db } from './connection.ts';
import { type Fragment, rowsOf, sql } from './rows-of.ts';

/*
 * What people wrote is not kept for ever, but what is counted of it is. So a message stays as a row, with its author
 * and its time, from which reports can be counted anew at any time and a service is known to have begun; its text goes,
 * and so does what was summed up of a conversation in which nobody has spoken since. Of a turn the tokens stay, its
 * question and receipt go. What a conversation says of the person goes with them: the name, the WhatsApp id and what the
 * caller had put into it. A record as a CRM sent it goes whole: what was made of it is a lead or a ticket by then.
 */

export interface RetentionCounts {
  readonly messages: number;
  readonly conversations: number;
  readonly turns: number;
  readonly intakeRecords: number;
}

const EMPTIED_AT_ONCE = 1_000;

/**
 * One batch of each. Gives how many went, or undefined where another process is at it. Works as the owner, for all
 * hosts. A row that somebody holds is left for the next time.
 */
export async function emptyOldText(db: Db, days: number): Promise<RetentionCounts | undefined> {
  return db.transaction(async tx => {
    const [lock] = await rowsOf<{ free: boolean }>(tx)`
      select pg_try_advisory_xact_lock(hashtext('parley retention')) as free`;
    if (!lock?.free) return undefined;
    const before = sql`now() - ${days} * interval '1 day'`;
    return {
      messages: await emptyMessages(tx, before),
      conversations: await emptyConversations(tx, before),
      turns: await emptyTurns(tx, before),
      intakeRecords: await deleteIntakeRecords(tx, before),
    };
  });
}

/** Whether there may be more to take than was taken at once. */
export function hasMoreToEmpty(emptied: RetentionCounts): boolean {
  return Math.max(...Object.values(emptied)) === EMPTIED_AT_ONCE;
}

async function emptyMessages(tx: Knex, before: Fragment): Promise<number> {
  const emptied = await rowsOf(tx)`
    update messages set content = '', name = null
    where seq in (
      select seq from messages where content <> '' and created_at < ${before}
      order by created_at limit ${EMPTIED_AT_ONCE} for update skip locked
    )
    returning seq`;
  return emptied.length;
}

/** Those in which nobody has spoken since. */
async function emptyConversations(tx: Knex, before: Fragment): Promise<number> {
  const emptied = await rowsOf(tx)`
    update conversations set dialogue_summary = '', main_topic = '', tip = '', heat_score_description = '',
      sentiment_score_explanation = '', user_name = '', wpp_id = '', global_data = '{}',
      user_data = '{}'
    where (host_id, id) in (
      select host_id, id from conversations
      where coalesce(last_message_at, created_at) < ${before} and (dialogue_summary, main_topic, tip,
        heat_score_description, sentiment_score_explanation, user_name, wpp_id, global_data, user_data)
        <> ('', '', '', '', '', '', '', '{}'::jsonb, '{}'::jsonb)
      order by coalesce(last_message_at, created_at) limit ${EMPTIED_AT_ONCE} for update skip locked
    )
    returning id`;
  return emptied.length;
}

/** One that was never finished, its worker being dead and its job lost, is as old as its deadline. */
async function emptyTurns(tx: Knex, before: Fragment): Promise<number> {
  const emptied = await rowsOf(tx)`
    update turns set question = null, receipt = null
    where (host_id, id) in (
      select host_id, id from turns
      where (receipt is not null or question is not null)
        and (finished_at < ${before} or finished_at is null and deadline < ${before})
      order by finished_at limit ${EMPTIED_AT_ONCE} for update skip locked
    )
    returning id`;
  return emptied.length;
}

/** One that is received and no more has yet to become something, however old it is. */
async function deleteIntakeRecords(tx: Knex, before: Fragment): Promise<number> {
  const deleted = await rowsOf(tx)`
    delete from intake_records
    where (host_id, id) in (
      select host_id, id from intake_records where state <> 'received' and created_at < ${before}
      order by created_at limit ${EMPTIED_AT_ONCE} for update skip locked
    )
    returning id`;
  return deleted.length;
}
