import type { Knex } from 'knex';
import type { Db } from '../connection.ts';
import { deleteEvents } from '../events/deliveries.ts';
import { deleteBatch, runInOneProcess, updateBatch } from '../row-batch.ts';
import { type Fragment, sql } from '../rows-of.ts';

/*
 * Erases old texts and keeps counts. A message keeps its row, author and time, from which reports can be recounted; its text
 * is erased with its payment codes, and so is the insight of a conversation without newer messages. A turn keeps its token
 * counts; its question and receipt are erased. A conversation's data about the end user (name, WhatsApp id, data of the
 * caller, masked identifiers) is erased. Raw records of a CRM, notes, audit rows, events with their deliveries, and questions
 * that found no answer, with their words, are deleted. Feedback keeps its score. Leads and tickets, which were made of the raw records, stay.
 */

export interface RetentionCounts {
  readonly messages: number;
  readonly notes: number;
  readonly conversations: number;
  readonly turns: number;
  readonly intakeRecords: number;
  readonly auditEntries: number;
  readonly events: number;
  readonly feedback: number;
  readonly gapQuestions: number;
}

const BATCH_SIZE = 1_000;

/**
 * Erases one batch of each kind. Returns the counts; undefined if another process is running. Works as the owner, for all
 * hosts. Locked rows are left for the next run.
 */
export async function eraseTextBatch(db: Db, days: number): Promise<RetentionCounts | undefined> {
  return runInOneProcess(db, 'parley retention', async tx => {
    const before = sql`now() - ${days} * interval '1 day'`;
    return {
      messages: await eraseMessageTexts(tx, before),
      notes: await deleteBatch(tx, {
        ...batchOf(sql`notes`),
        where: sql`created_at < ${before}`,
        orderBy: sql`created_at`,
      }),
      conversations: await eraseConversationTexts(tx, before),
      turns: await eraseTurnTexts(tx, before),
      // A record in the state `received` is not processed yet and stays.
      intakeRecords: await deleteBatch(tx, {
        ...batchOf(sql`intake_records`),
        where: sql`state <> 'received' and created_at < ${before}`,
        orderBy: sql`created_at`,
      }),
      auditEntries: await deleteBatch(tx, {
        ...batchOf(sql`audit_entries`),
        where: sql`created_at < ${before}`,
        orderBy: sql`created_at`,
      }),
      events: await deleteEvents(tx, sql`created_at < ${before}`, BATCH_SIZE),
      feedback: await updateBatch(
        tx,
        {
          ...batchOf(sql`feedback`),
          where: sql`text <> '' and created_at < ${before}`,
          orderBy: sql`created_at`,
        },
        sql`text = ''`,
      ),
      // The gaps without another question are deleted with them.
      gapQuestions: await deleteBatch(tx, {
        ...batchOf(sql`gap_questions`),
        where: sql`asked_at < ${before}`,
        orderBy: sql`asked_at`,
      }),
    };
  });
}

function batchOf(table: Fragment) {
  return { table, limit: BATCH_SIZE };
}

function eraseMessageTexts(tx: Knex, before: Fragment): Promise<number> {
  const old = {
    ...batchOf(sql`messages`),
    where: sql`content <> '' and created_at < ${before}`,
    orderBy: sql`created_at`,
  };
  return updateBatch(
    tx,
    old,
    sql`content = '', name = null, payments = null, sources = null, unsupported = null`,
  );
}

/** Erases the texts of conversations without newer messages. */
function eraseConversationTexts(tx: Knex, before: Fragment): Promise<number> {
  const lastAt = sql`coalesce(last_message_at, created_at)`;
  const old = {
    ...batchOf(sql`conversations`),
    where: sql`${lastAt} < ${before} and (chat_history is not null or (dialogue_summary, main_topic, tip,
      heat_score_description, sentiment_score_explanation, user_name, wpp_id, global_data, user_data,
      masked_values) <> ('', '', '', '', '', '', '', '{}'::jsonb, '{}'::jsonb, '[]'::jsonb))`,
    orderBy: lastAt,
  };
  return updateBatch(
    tx,
    old,
    sql`dialogue_summary = '', main_topic = '', tip = '', heat_score_description = '',
      sentiment_score_explanation = '', user_name = '', wpp_id = '', global_data = '{}',
      user_data = '{}', masked_values = '[]', chat_history = null`,
  );
}

/** A turn whose worker died and whose job was lost never finished, so its deadline tells its age. */
function eraseTurnTexts(tx: Knex, before: Fragment): Promise<number> {
  const old = {
    ...batchOf(sql`turns`),
    where: sql`(receipt is not null or question is not null)
      and (finished_at < ${before} or finished_at is null and deadline < ${before})`,
    orderBy: sql`finished_at`,
  };
  return updateBatch(
    tx,
    old,
    sql`question = null, message = null, receipt = null, chat_asked = null, chat_answered = null`,
  );
}

/** A full batch means that more may be left. */
export function hasMoreToErase(erased: RetentionCounts): boolean {
  return Math.max(...Object.values(erased)) === BATCH_SIZE;
}
