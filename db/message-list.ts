import { bytesBefore, type Message } from './messages.ts';
import { rowsOf, sql } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

export interface ListedMessage extends Message {
  readonly turnId: string | null;
  /** The codes of an answer that were sent as payments. */
  readonly payments: readonly string[] | null;
}

export interface MessagePage {
  readonly limit: number;
  /** The message that exceeds it is still read. */
  readonly bytes: number;
  /** The `seq` of the last message of the page before. */
  readonly after: string | undefined;
}

/**
 * The messages of a conversation, oldest first. Each is stored under the lock of its conversation, so none appears
 * before one that was read.
 */
export async function listMessages(
  { tx, hostId }: HostScope,
  conversationId: string,
  { limit, bytes, after }: MessagePage,
): Promise<ListedMessage[]> {
  return rowsOf<ListedMessage>(tx)`
    with oldest as (
      select host_id, seq, octet_length(content) as bytes from messages
      where host_id = ${hostId} and conversation_id = ${conversationId} and author <> 'system'
        ${after === undefined ? sql`` : sql`and seq > ${after}::bigint`}
      order by seq
      limit ${limit}
    ), measured as (select *, ${bytesBefore(sql`seq`)} from oldest)
    select seq, turn_id as "turnId", author, name, content, payments, created_at as "createdAt"
    from measured join messages using (host_id, seq)
    where bytes_before < ${bytes}
    order by seq`;
}
