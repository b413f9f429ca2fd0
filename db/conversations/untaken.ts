import type { Db } from '../connection.ts';
import { rowsOf } from '../rows-of.ts';

/** Conversations in one run, which comes every few seconds. */
const BATCH_SIZE = 500;

/**
 * Gives conversations of all hosts back to their teams that were passed to people who have not written for as long as their host
 * waits, and tells it once: whoever passes one on or writes first has it. Works as the owner.
 */
export async function giveBackUntaken(db: Db): Promise<void> {
  await rowsOf(db)`
    with due_conversation as materialized (
      select conversation.host_id, conversation.id, assigned_person_ids from conversations conversation
      join hosts on hosts.id = conversation.host_id and not disabled
      where untaken_since is not null and team_id is not null and ask_human_help and not closed
        and untaken_since <= clock_timestamp() - reassign_after_minutes * interval '1 minute'
      order by untaken_since limit ${BATCH_SIZE} for no key update of conversation skip locked
    ), given_back as (
      update conversations set assigned_to = null, assigned_person_ids = '{}', untaken_since = null, updated_at = now()
      from due_conversation due where conversations.host_id = due.host_id and conversations.id = due.id
      returning conversations.host_id, conversations.id, team_id, due.assigned_person_ids as earlier_ids
    )
    select add_events(host_id, array[gen_random_uuid()], array['conversation.reassigned'],
      array[json_build_object('conversationId', id, 'teamId', team_id, 'assignedPersonIds', earlier_ids)::text],
      array[id::text], array[''])
    from given_back`;
}
