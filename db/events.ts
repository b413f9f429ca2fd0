import { jsonOf, rowsOf } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

/** Something that happened; `workers/runtime/add-event.ts` has the types. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  /** What it is about: it is erased with it. */
  readonly conversationId?: string | undefined;
  readonly intakeRecordId?: string | undefined;
}

/**
 * Stores the events that a webhook of the host wants, each with a delivery for each of these webhooks; other events leave
 * no row. Called in the transaction of the cause: one statement, which for a host without webhooks reads one index.
 */
export async function insertEvents({ tx, hostId }: HostScope, events: readonly NewEvent[]): Promise<void> {
  const column = (value: (event: NewEvent) => string) => events.map(value);
  await rowsOf(tx)`
    with happened as (
      select * from unnest(${column(({ id }) => id)}::uuid[], ${column(({ type }) => type)}::text[],
        ${column(({ data }) => jsonOf(data))}::text[],
        ${column(({ conversationId = '' }) => conversationId)}::text[],
        ${column(({ intakeRecordId = '' }) => intakeRecordId)}::text[])
        as happened (id, type, data, conversation_id, intake_record_id)
    ), wanted as materialized (
      select happened.*, webhooks.id as webhook_id from happened
      join webhooks on host_id = ${hostId} and enabled and happened.type = any (events)
    ), stored as (
      insert into events (host_id, id, type, data, conversation_id, intake_record_id)
      select distinct on (id) ${hostId}::uuid, id, type, data::json, nullif(conversation_id, '')::uuid,
        nullif(intake_record_id, '')::uuid
      from wanted
    )
    insert into deliveries (host_id, event_id, webhook_id) select ${hostId}::uuid, id, webhook_id from wanted`;
}

/**
 * Stores an event for one webhook, whatever it wants, and returns the id of its delivery. `url` replaces that of the webhook.
 * Undefined where there is an event with this id.
 */
export async function insertDirectEvent(
  { tx, hostId }: HostScope,
  event: NewEvent,
  { webhookId, url }: { readonly webhookId: string; readonly url?: string | undefined },
): Promise<string | undefined> {
  const [stored] = await rowsOf<{ id: string }>(tx)`
    with stored as (
      insert into events (host_id, id, type, data, conversation_id)
      values (${hostId}, ${event.id}, ${event.type}, ${jsonOf(event.data)}, ${event.conversationId ?? null})
      on conflict do nothing returning id
    )
    insert into deliveries (host_id, event_id, webhook_id, url)
    select ${hostId}::uuid, id, ${webhookId}::uuid, ${url ?? null}::text from stored
    returning id`;
  return stored?.id;
}
