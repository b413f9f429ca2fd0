import type { Knex } from 'knex';
import type { Db } from './connection.ts';
import { type Fragment, rowsOf, sql } from './rows-of.ts';

/*
 * Empties old texts and keeps counts. A message keeps its row, author and time, from which reports can be recounted;
 * its text is emptied, and so is the insight of a conversation without newer messages. A turn keeps its token counts;
 * its question and receipt are emptied. A conversation's data about the person (name, WhatsApp id, data of the
 * caller) is emptied. Raw records of a CRM are deleted: leads and tickets were made of them.
 */

export interface RetentionCounts {
  readonly messages: number;
  readonly conversations: number;
  readonly turns: number;
  readonly intakeRecords: number;
}

const ERASE_BATCH_SIZE = 1_000;

/**
 * Empties one batch of each. Returns the counts; undefined where another process is running. Works as the owner, for
 * all hosts. Locked rows are left for the next run.
 */
export async function eraseTextBatch(db: Db, days: number): Promise<RetentionCounts | undefined> {
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

/** Whether a batch was full, so that more may be left. */
export function hasMoreToErase(emptied: RetentionCounts): boolean {
  return Math.max(...Object.values(emptied)) === ERASE_BATCH_SIZE;
}

async function emptyMessages(tx: Knex, before: Fragment): Promise<number> {
  const emptied = await rowsOf(tx)`
    update messages set content = '', name = null
    where seq in (
      select seq from messages where content <> '' and created_at < ${before}
      order by created_at limit ${ERASE_BATCH_SIZE} for update skip locked
    )
    returning seq`;
  return emptied.length;
}

/** Conversations without newer messages. */
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
      order by coalesce(last_message_at, created_at) limit ${ERASE_BATCH_SIZE} for update skip locked
    )
    returning id`;
  return emptied.length;
}

/** An unfinished turn, whose worker died and whose job was lost, is as old as its deadline. */
async function emptyTurns(tx: Knex, before: Fragment): Promise<number> {
  const emptied = await rowsOf(tx)`
    update turns set question = null, receipt = null
    where (host_id, id) in (
      select host_id, id from turns
      where (receipt is not null or question is not null)
        and (finished_at < ${before} or finished_at is null and deadline < ${before})
      order by finished_at limit ${ERASE_BATCH_SIZE} for update skip locked
    )
    returning id`;
  return emptied.length;
}

/** A record in the state `received` is not processed yet and stays. */
async function deleteIntakeRecords(tx: Knex, before: Fragment): Promise<number> {
  const deleted = await rowsOf(tx)`
    delete from intake_records
    where (host_id, id) in (
      select host_id, id from intake_records where state <> 'received' and created_at < ${before}
      order by created_at limit ${ERASE_BATCH_SIZE} for update skip locked
    )
    returning id`;
  return deleted.length;
}
