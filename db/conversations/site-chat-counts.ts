import type { Db } from '../connection.ts';
import { deleteInBatches } from '../row-batch.ts';
import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/*
 * Counts of questions to a chat on a site: of a visitor, of an address, of all. They are here and not in the memory of a process,
 * because every `web` process counts for the others. Each is a window that its first question begins.
 */

export interface SiteChatQuestion {
  readonly chatId: string;
  /** Of the visitor, of the address and of the chat. */
  readonly askers: readonly string[];
  /** How long each is counted, in this order. */
  readonly seconds: readonly number[];
  /** Equal for a question that is sent again. */
  readonly key: string;
}

export interface AskerCount {
  readonly asker: string;
  readonly count: number;
  /** Until it begins anew. */
  readonly seconds: number;
}

/** Counts the question, unless it is the last one of the visitor again. If it is refused, the transaction must be rolled back. */
export async function countQuestion(
  { tx, hostId }: HostScope,
  { chatId, askers, seconds, key }: SiteChatQuestion,
): Promise<AskerCount[]> {
  return rowsOf<AskerCount>(tx)`
    insert into site_chat_counts as counted (host_id, chat_id, asker, count, ends_at, last_key)
    select host_id, id, asker, 1, now() + seconds * interval '1 second', ${key}
    from site_chats chat cross join unnest(${askers}::text[], ${seconds.map(String)}::integer[]) asking (asker, seconds)
    where host_id = ${hostId} and id = ${chatId} and not exists (
      select from site_chat_counts again
      where again.host_id = ${hostId} and again.chat_id = ${chatId} and again.asker = ${askers[0] ?? ''} and last_key = ${key})
    order by asker
    on conflict (host_id, chat_id, asker) do update set last_key = excluded.last_key,
      count = case when counted.ends_at > now() then counted.count + 1 else 1 end,
      ends_at = case when counted.ends_at > now() then counted.ends_at else excluded.ends_at end
    returning asker, count, ceil(extract(epoch from ends_at - now()))::integer as seconds`;
}

const PURGE_BATCH_SIZE = 1_000;

/** Deletes the counts that have ended. Works as the owner. */
export function purgeSiteChatCounts(db: Db): Promise<number> {
  return deleteInBatches(db, {
    table: sql`site_chat_counts`,
    where: sql`ends_at < now()`,
    limit: PURGE_BATCH_SIZE,
  });
}
