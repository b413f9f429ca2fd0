import { type Fragment, returnsRow, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/*
 * Messages as the channel of a conversation knows them. Its ids are stored as digests, because some hold the person's phone. The
 * caller holds the lock of the conversation (`lockConversation`), so each id is taken once.
 */

export function digestOf(externalId: string | null): Fragment {
  return sql`sha256(convert_to(${externalId}::text, 'UTF8'))`;
}

/** Whether a message of the conversation, or a part of one, has this id. */
export async function isExternalIdTaken(
  { tx, hostId }: HostScope,
  { conversationId, externalId }: { readonly conversationId: string; readonly externalId: string },
): Promise<boolean> {
  return returnsRow(tx)`
    select from messages
    where host_id = ${hostId} and conversation_id = ${conversationId} and external_ids is not null
      and ${digestOf(externalId)} = any (external_ids) limit 1`;
}

/** Notes the id that the channel gave a message, or a part of it. */
export async function addExternalId(
  { tx, hostId }: HostScope,
  { seq, externalId }: { readonly seq: string; readonly externalId: string },
): Promise<void> {
  await rowsOf(tx)`
    update messages set external_ids = array_append(external_ids, ${digestOf(externalId)})
    where host_id = ${hostId} and seq = ${seq}`;
}

export interface SentMessage {
  readonly seq: string;
  readonly author: 'assistant' | 'human';
  readonly content: string;
  readonly payments: readonly string[] | null;
  /** The bytes of each of its files; the text ends with a line for each. */
  readonly fileSizes: readonly number[];
}

const MAX_SENT = 50;

/** Lists what was sent over the channel within the last seconds, the newest first: answers, and words of staff in the console. */
export async function listSentMessages(
  { tx, hostId }: HostScope,
  { conversationId, withinSeconds }: { readonly conversationId: string; readonly withinSeconds: number },
): Promise<SentMessage[]> {
  return rowsOf<SentMessage>(tx)`
    select seq, author, content, payments, array(
      select size from files where host_id = ${hostId} and conversation_id = ${conversationId} and message_seq = newest_message.seq
    ) as "fileSizes" from (
      select * from messages where host_id = ${hostId} and conversation_id = ${conversationId}
      order by seq desc limit ${MAX_SENT}
    ) newest_message
    where created_at > clock_timestamp() - ${withinSeconds} * interval '1 second'
      and (author = 'assistant' or author = 'human' and not from_channel)
    order by seq desc`;
}
