import type { Db } from '../connection.ts';
import { rowsOf } from '../rows-of.ts';

/** Conversations in one run, which comes every few seconds. */
const BATCH_SIZE = 500;

/**
 * Gives conversations of all hosts back to the assistant that a person attends, and in which staff has not written for as long
 * as the host waits: with a line in the dialogue, and an event. What the person wrote
 * since that word is unanswered then. Works as the owner.
 *
 * A row that staff changes meanwhile is skipped, or read again once it is locked: its last word is another message then.
 */
export async function returnConversations(db: Db): Promise<void> {
  await rowsOf(db)`
    with due_conversation as materialized (
      select conversation.host_id, conversation.id, return_after_minutes as minutes, word.created_at as last_word_at
      from hosts
      join conversations conversation on conversation.host_id = hosts.id and conversation.attended
      join messages word on word.host_id = conversation.host_id and word.seq = conversation.staff_seq
      where return_after_minutes is not null and not disabled
        and word.created_at <= clock_timestamp() - return_after_minutes * interval '1 minute'
      limit ${BATCH_SIZE} for no key update of conversation skip locked
    ), returned_conversation as (
      update conversations set attended = false, ask_human_help = false, assigned_to = null, assigned_person_ids = '{}',
        updated_at = now(), unanswered_at = case when not closed and person_wrote_at > last_word_at then person_wrote_at
          else unanswered_at end
      from due_conversation due
      where conversations.host_id = due.host_id and conversations.id = due.id
      returning conversations.host_id, conversations.id, minutes
    ), line as (
      insert into messages (host_id, conversation_id, author, content)
      select host_id, id, 'system',
        'A equipe não escreveu por ' || minutes || ' minutos: a conversa voltou ao assistente.'
      from returned_conversation
    )
    select add_events(host_id, array[gen_random_uuid()], array['conversation.returned'],
      array[json_build_object('conversationId', id, 'afterMinutes', minutes)::text], array[id::text], array[''])
    from returned_conversation`;
}
