import { createHash, randomUUID } from 'node:crypto';
import { insertDirectEvent, insertEvents, type NewEvent } from '../../db/events/events.ts';
import { readReplyTime } from '../../db/replies.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { isUuid } from '../../platform/uuid.ts';
import type { EventData, EventTypeName, WantedEventType } from '../../queues/contract/events.ts';
import { isFinal, type Outcome } from '../../queues/contract/failure.ts';
import type { Job } from '../../queues/transport/consumer.ts';

type Typed<N extends EventTypeName> = {
  readonly [T in N]: { readonly type: T; readonly data: EventData<T> };
}[N];

export type Event = Typed<WantedEventType> & {
  readonly id?: string;
  readonly intakeRecordId?: string | undefined;
};

/**
 * Tells the host's webhooks that want the event. Must be called in the transaction of its cause: the event is then stored if,
 * and only if, its cause is committed.
 */
export function addEvent(scope: HostScope, event: Event): Promise<void> {
  return addEvents(scope, [event]);
}

/** Does the same as `addEvent` for several events, with one statement. */
export async function addEvents(scope: HostScope, events: readonly Event[]): Promise<void> {
  if (events.length > 0) await insertEvents(scope, events.map(newEventOf));
}

/** Tells one webhook, whatever it wants. Returns the id of the delivery; undefined if the event of this id is stored already. */
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

/** Returns the row of an event, for a statement that stores it with its cause. */
export function newEventOf({ id = randomUUID(), type, data, intakeRecordId }: Event): NewEvent {
  const conversationId = 'conversationId' in data ? data.conversationId : undefined;
  return { id, type, data, conversationId, intakeRecordId };
}

/**
 * Tells the address that the request named how its job has ended. Must be called in the transaction that stores the reply,
 * after that; a second call for the same end adds nothing. An event outlives the reply that guards a key, so an end is
 * identified by its reply or, where it freed its key, by the request.
 */
export async function addCallbackEvent(
  scope: HostScope,
  { callback, jobId, body, arrivedAt }: Pick<Job, 'callback' | 'jobId' | 'body' | 'arrivedAt'>,
  outcome: Outcome<unknown>,
): Promise<void> {
  if (!callback) return;
  const { code, data } = outcome;
  const state = isFinal(code) ? 'completed' : 'failed';
  const end = isFinal(code) ? await readReplyTime(scope, jobId) : arrivedAt;
  await addDirectEvent(scope, {
    ...callback,
    id: idOf(`${jobId} ${state} ${end}`),
    type: 'job.completed',
    data: { jobId, state, code, ...(data === undefined ? {} : { data }) },
    conversationId: conversationOf(body),
  });
}

function conversationOf(body: unknown): string | undefined {
  const { conversationId } = (body ?? {}) as { readonly conversationId?: unknown };
  return typeof conversationId === 'string' && isUuid(conversationId) ? conversationId : undefined;
}

/** Returns the same id for the same end of a job. */
function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
