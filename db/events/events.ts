import { type Fragment, jsonOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** Something that happened; `workers/runtime/add-event.ts` has the types. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  /** The conversation of the event, with which it is erased. */
  readonly conversationId?: string | undefined;
  readonly intakeRecordId?: string | undefined;
}

/** See `add_events` in functions/events.sql. */
export async function insertEvents({ tx, hostId }: HostScope, events: readonly NewEvent[]): Promise<void> {
  await rowsOf(tx)`select ${addEventsOf(hostId, events)}`;
}

/** Returns the call of that function, for use in another statement. */
export function addEventsOf(hostId: string, events: readonly NewEvent[]): Fragment {
  const column = (value: (event: NewEvent) => string) => events.map(value);
  return sql`add_events(${hostId}, ${column(({ id }) => id)}::uuid[], ${column(({ type }) => type)}::text[],
      ${column(({ data }) => jsonOf(data))}::text[], ${column(({ conversationId = '' }) => conversationId)}::text[],
      ${column(({ intakeRecordId = '' }) => intakeRecordId)}::text[])`;
}

/**
 * Stores an event for one webhook, whatever it wants, and returns the id of its delivery. `url` replaces the webhook's own.
 * Returns undefined if there is an event with this id.
 */
export async function insertDirectEvent(
  { tx, hostId }: HostScope,
  event: NewEvent,
  { webhookId, url }: { readonly webhookId: string; readonly url?: string | undefined },
): Promise<string | undefined> {
  const [stored] = await rowsOf<{ id: string }>(tx)`
    with stored_event as (
      insert into events (host_id, id, type, data, conversation_id)
      values (${hostId}, ${event.id}, ${event.type}, ${jsonOf(event.data)}, ${event.conversationId ?? null})
      on conflict do nothing returning id
    )
    insert into deliveries (host_id, event_id, webhook_id, url)
    select ${hostId}::uuid, id, ${webhookId}::uuid, ${url ?? null}::text from stored_event
    returning id`;
  return stored?.id;
}
