import { type PagedRow, type PageOf, readFittingRows } from '../pages.ts';
import { sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import type { Message } from './messages.ts';

export interface ListedMessage extends Message {
  readonly turnId: string | null;
  /** The codes of an answer that were sent as payments. */
  readonly payments: readonly string[] | null;
  /** Of an answer, as its turn returned them; null for none. */
  readonly sources: readonly unknown[] | null;
  readonly unsupported: readonly unknown[] | null;
  /** What became of its event; null for none. */
  readonly delivery: 'pending' | 'delivered' | 'failed' | null;
}

/** Of all webhooks that want the event; one that has got it is enough. */
const delivery = sql`(
  select case when bool_or(state = 'delivered') then 'delivered' when bool_or(state = 'pending') then 'pending'
    when count(*) > 0 then 'failed' end
  from deliveries where deliveries.host_id = messages.host_id and event_id = messages.event_id)`;

/**
 * The messages of a conversation, oldest first. Each is stored under the lock of its conversation, so none appears
 * before one that was read.
 */
export async function listMessages(
  { tx, hostId }: HostScope,
  conversationId: string,
  { limit, after }: PageOf<Pick<Message, 'seq'>>,
): Promise<(ListedMessage & PagedRow)[]> {
  return readFittingRows<ListedMessage>(
    tx,
    sql`select seq, turn_id as "turnId", author, name, content, payments, sources, unsupported,
        case when event_id is not null then ${delivery} end as delivery, created_at as "createdAt"
      from messages
      where host_id = ${hostId} and conversation_id = ${conversationId} and author <> 'system'
        ${after ? sql`and seq > ${after.seq}::bigint` : sql``}
      order by seq limit ${limit}`,
    sql`seq`,
  );
}
