import { rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

export interface NewNote {
  readonly conversationId: string;
  readonly content: string;
  readonly name?: string | undefined;
}

/** Stored under the lock of its conversation, as a message is; false where the conversation is missing. */
export async function addNote(
  { tx, hostId }: HostScope,
  { conversationId, content, name }: NewNote,
): Promise<boolean> {
  const added = await rowsOf(tx)`
    with conversation as (
      select host_id, id from conversations where host_id = ${hostId} and id = ${conversationId} for no key update
    ), note as (
      insert into notes (host_id, seq, conversation_id, content, name)
      select host_id, next_message_seq(), id, ${content}, ${name ?? null} from conversation
      returning host_id, conversation_id, created_at
    )
    update conversations set noted_at = note.created_at, updated_at = now()
    from note where conversations.host_id = note.host_id and conversations.id = note.conversation_id
    returning id`;
  return added.length > 0;
}
