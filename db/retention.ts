import type { Db } from './connection.ts';
import {
  deleteIntakeRecords,
  ERASE_BATCH_SIZE,
  emptyConversations,
  emptyMessages,
  emptyTurns,
} from './expired-text.ts';
import { rowsOf, sql } from './rows-of.ts';

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
