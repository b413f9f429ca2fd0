import { randomUUID } from 'node:crypto';
import { insertDirectEvent, insertEvents, type NewEvent } from '../../db/events/events.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import type { EventData, EventTypeName, WantedEventType } from '../../queues/contract/events.ts';

type Typed<N extends EventTypeName> = {
  readonly [T in N]: { readonly type: T; readonly data: EventData<T> };
}[N];
type About = Pick<NewEvent, 'conversationId' | 'intakeRecordId'>;

export type Event = Typed<WantedEventType> & Pick<About, 'intakeRecordId'> & Partial<Pick<NewEvent, 'id'>>;

/**
 * Tells the webhooks of the host that want it. Call it in the transaction of the cause: the event is then true if, and
 * only if, its cause is committed.
 */
export function addEvent(scope: HostScope, event: Event): Promise<void> {
  return addEvents(scope, [event]);
}

/** As `addEvent`, with one statement for all. */
export async function addEvents(scope: HostScope, events: readonly Event[]): Promise<void> {
  if (events.length > 0) await insertEvents(scope, events.map(newEventOf));
}

/** For one webhook, whatever it wants. Returns the id of the delivery; undefined where the event of this id is stored already. */
export function addDirectEvent(
  scope: HostScope,
  {
    webhookId,
    url,
    id = randomUUID(),
    conversationId,
    ...event
  }: Typed<Exclude<EventTypeName, WantedEventType>> & {
    readonly id?: string;
    readonly webhookId: string;
    readonly url?: string;
    readonly conversationId?: string | undefined;
  },
): Promise<string | undefined> {
  return insertDirectEvent(scope, { id, conversationId, ...event }, { webhookId, url });
}

/** For a statement that stores events with their cause. */
export function newEventOf({ id = randomUUID(), type, data, intakeRecordId }: Event): NewEvent {
  const conversationId = 'conversationId' in data ? data.conversationId : undefined;
  return { id, type, data, conversationId, intakeRecordId };
}
