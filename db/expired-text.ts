import type { Knex } from 'knex';
import { type Fragment, rowsOf } from './rows-of.ts';

export const ERASE_BATCH_SIZE = 1_000;

export async function eraseMessageTexts(tx: Knex, before: Fragment): Promise<number> {
  const erased = await rowsOf(tx)`
    update messages set content = '', name = null, payments = null, sources = null, unsupported = null
    where seq in (
      select seq from messages where content <> '' and created_at < ${before}
      order by created_at limit ${ERASE_BATCH_SIZE} for update skip locked
    )
    returning seq`;
  return erased.length;
}

/** Conversations without newer messages. */
export async function eraseConversationTexts(tx: Knex, before: Fragment): Promise<number> {
  const erased = await rowsOf(tx)`
    update conversations set dialogue_summary = '', main_topic = '', tip = '', heat_score_description = '',
      sentiment_score_explanation = '', user_name = '', wpp_id = '', global_data = '{}',
      user_data = '{}', masked_values = '[]'
    where (host_id, id) in (
      select host_id, id from conversations
      where coalesce(last_message_at, created_at) < ${before} and (dialogue_summary, main_topic, tip,
        heat_score_description, sentiment_score_explanation, user_name, wpp_id, global_data, user_data,
        masked_values) <> ('', '', '', '', '', '', '', '{}'::jsonb, '{}'::jsonb, '[]'::jsonb)
      order by coalesce(last_message_at, created_at) limit ${ERASE_BATCH_SIZE} for update skip locked
    )
    returning id`;
  return erased.length;
}

/** An unfinished turn, whose worker died and whose job was lost, is as old as its deadline. */
export async function eraseTurnTexts(tx: Knex, before: Fragment): Promise<number> {
  const erased = await rowsOf(tx)`
    update turns set question = null, receipt = null
    where (host_id, id) in (
      select host_id, id from turns
      where (receipt is not null or question is not null)
        and (finished_at < ${before} or finished_at is null and deadline < ${before})
      order by finished_at limit ${ERASE_BATCH_SIZE} for update skip locked
    )
    returning id`;
  return erased.length;
}

/** A record in the state `received` is not processed yet and stays. */
export async function deleteIntakeRecords(tx: Knex, before: Fragment): Promise<number> {
  const deleted = await rowsOf(tx)`
    delete from intake_records
    where (host_id, id) in (
      select host_id, id from intake_records where state <> 'received' and created_at < ${before}
      order by created_at limit ${ERASE_BATCH_SIZE} for update skip locked
    )
    returning id`;
  return deleted.length;
}

/** With the gaps that have no other question. */
export async function deleteGapQuestions(tx: Knex, before: Fragment): Promise<number> {
  const deleted = await rowsOf(tx)`
    delete from gap_questions
    where (host_id, message_seq) in (
      select host_id, message_seq from gap_questions where asked_at < ${before}
      order by asked_at limit ${ERASE_BATCH_SIZE} for update skip locked
    )
    returning message_seq`;
  return deleted.length;
}
