import { type PagedRow, type PageOf, readRowsThatFit } from '../pages.ts';
import { sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

export interface ListedMessage {
  /** Increases within a conversation. */
  readonly seq: string;
  /** `note`: what a staff member wrote for the others. */
  readonly author: 'user' | 'assistant' | 'human' | 'note';
  readonly name: string | null;
  readonly content: string;
  readonly createdAt: Date;
  readonly turnId: string | null;
  /** The codes of an answer that were sent as payments. */
  readonly payments: readonly string[] | null;
  /** The sources of an answer, as its turn returned them; null for none. */
  readonly sources: readonly unknown[] | null;
  readonly unsupported: readonly unknown[] | null;
  /** What became of its event; null for none. */
  readonly delivery: 'pending' | 'delivered' | 'failed' | null;
  /** Null before a failure, and where nothing is to be tried. */
  readonly nextAttemptAt: string | null;
}

/** Looks at all webhooks that want the event; one that has got it is enough. A pause of the webhook comes before what is due. */
const told = sql`(
  select case when bool_or(state = 'delivered') then 'delivered' when bool_or(state = 'pending') then 'pending'
      when count(*) > 0 then 'failed' end as delivery,
    case when not bool_or(state = 'delivered') then min(greatest(due_at, paused_until))
      filter (where state = 'pending' and (attempts > 0 or paused_until > now())) end at time zone 'UTC' as next_attempt_at
  from deliveries left join webhook_lanes lane
    on lane.host_id = deliveries.host_id and lane.webhook_id = deliveries.webhook_id
  where deliveries.host_id = messages.host_id and event_id = messages.event_id)`;

/**
 * The messages of a conversation, oldest first, with the notes among them if they are asked for. Each is stored under the lock of
 * its conversation, so none appears before one that was read.
 */
export async function listMessages(
  { tx, hostId }: HostScope,
  conversationId: string,
  { limit, after, withNotes }: PageOf<Pick<ListedMessage, 'seq'>> & { readonly withNotes: boolean },
): Promise<(ListedMessage & PagedRow)[]> {
  const isOnPage = sql`host_id = ${hostId} and conversation_id = ${conversationId}
    ${after ? sql`and seq > ${after.seq}::bigint` : sql``}`;
  const notes = sql`union all
    select seq, null, 'note', name, content, null, null, null, null, null, created_at from notes where ${isOnPage}`;
  return readRowsThatFit<ListedMessage>(
    tx,
    sql`select seq, turn_id as "turnId", author, name, content, payments, sources, unsupported,
        delivery, next_attempt_at as "nextAttemptAt", created_at as "createdAt"
      from messages left join lateral ${told} told on event_id is not null
      where ${isOnPage} and author <> 'system'
      ${withNotes ? notes : sql``}
      order by seq limit ${limit}`,
    sql`seq`,
  );
}
