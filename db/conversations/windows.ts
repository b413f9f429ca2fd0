import type { Db } from '../connection.ts';
import { returnsRow, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** When the channel of a row of `conversations` stops taking free text; null: it always takes it, or nobody wrote yet. */
export const windowEnd = sql`(person_wrote_at + interval '1 hour' * (
  select (window_hours ->> platform)::integer from hosts where hosts.id = conversations.host_id))`;

/** Whether the channel of the conversation takes no free text any more. */
export async function isWindowClosed({ tx, hostId }: HostScope, conversationId: string): Promise<boolean> {
  return returnsRow(tx)`
    select from conversations
    where host_id = ${hostId} and id = ${conversationId} and ${windowEnd} <= clock_timestamp()`;
}

/** Conversations in one run, which comes every few seconds. */
const BATCH_SIZE = 500;
const TOLD_HOURS_BEFORE = 2;

/** Tells once of each window, of open conversations of all hosts, that closes within two hours. Works as the owner. */
export async function tellClosingWindows(db: Db): Promise<void> {
  await rowsOf(db)`
    with due_conversation as materialized (
      select conversation.host_id, conversation.id, person_wrote_at + hours as ends_at
      from hosts cross join lateral (
        select key as platform, value::integer * interval '1 hour' as hours from jsonb_each_text(window_hours)
      ) channel
      join conversations conversation on conversation.host_id = hosts.id and conversation.platform = channel.platform
      where window_hours <> '{}' and not disabled and not closed
        and person_wrote_at > clock_timestamp() - hours
        and person_wrote_at <= clock_timestamp() - hours + ${TOLD_HOURS_BEFORE} * interval '1 hour'
        and window_told_for is distinct from person_wrote_at
      limit ${BATCH_SIZE} for no key update of conversation skip locked
    ), told_conversation as (
      update conversations set window_told_for = person_wrote_at from due_conversation due
      where conversations.host_id = due.host_id and conversations.id = due.id
      returning conversations.host_id, conversations.id, ends_at
    )
    select add_events(host_id, array[gen_random_uuid()], array['conversation.window_closing'],
      array[json_build_object('conversationId', id, 'windowEndsAt',
        to_char(ends_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text], array[id::text], array[''])
    from told_conversation`;
}
