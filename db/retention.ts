import { deleteAuditEntries } from './audit.ts';
import type { Db } from './connection.ts';
import { deleteEvents } from './deliveries.ts';
import {
  deleteGapQuestions,
  deleteIntakeRecords,
  ERASE_BATCH_SIZE,
  eraseConversationTexts,
  eraseMessageTexts,
  eraseTurnTexts,
} from './expired-text.ts';
import { rowsOf, sql } from './rows-of.ts';

/*
 * Erases old texts and keeps counts. A message keeps its row, author and time, from which reports can be recounted;
 * its text is erased with its payment codes, and so is the insight of a conversation without newer messages. A turn keeps its token counts;
 * its question and receipt are erased. A conversation's data about the end user (name, WhatsApp id, data of the
 * caller, masked identifiers) is erased. Raw records of a CRM are deleted: leads and tickets were made of them. Audit rows
 * and events with their deliveries are deleted, too, and so are questions that found no answer, with their words.
 */

export interface RetentionCounts {
  readonly messages: number;
  readonly conversations: number;
  readonly turns: number;
  readonly intakeRecords: number;
  readonly auditEntries: number;
  readonly events: number;
  readonly gapQuestions: number;
}

/**
 * Erases one batch of each. Returns the counts; undefined where another process is running. Works as the owner, for
 * all hosts. Locked rows are left for the next run.
 */
export async function eraseTextBatch(db: Db, days: number): Promise<RetentionCounts | undefined> {
  return db.transaction(async tx => {
    const [lock] = await rowsOf<{ free: boolean }>(tx)`
      select pg_try_advisory_xact_lock(hashtext('parley retention')) as free`;
    if (!lock?.free) return undefined;
    const before = sql`now() - ${days} * interval '1 day'`;
    return {
      messages: await eraseMessageTexts(tx, before),
      conversations: await eraseConversationTexts(tx, before),
      turns: await eraseTurnTexts(tx, before),
      intakeRecords: await deleteIntakeRecords(tx, before),
      auditEntries: await deleteAuditEntries(tx, before, ERASE_BATCH_SIZE),
      events: await deleteEvents(tx, sql`created_at < ${before}`, ERASE_BATCH_SIZE),
      gapQuestions: await deleteGapQuestions(tx, before),
    };
  });
}

/** Whether a batch was full, so that more may be left. */
export function hasMoreToErase(erased: RetentionCounts): boolean {
  return Math.max(...Object.values(erased)) === ERASE_BATCH_SIZE;
}
