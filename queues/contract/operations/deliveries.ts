import { eventTypeNames } from '../events.ts';
import { operation } from '../operation.ts';
import { dateTime, field, integer, list, nullable, object, oneOf, optional, text, uuid } from '../shape.ts';
import { DELIVERY_ID, HOST_ID, WEBHOOK_ID } from './example-ids.ts';
import { createdAt, hostFields } from './fields.ts';
import { pageFields, pageOf } from './page.ts';
import { SVC } from './paths.ts';
import { eventOperation, webhookId } from './webhook-shape.ts';

const MAX_REPLAYED = 1_000;

const deliveryState = oneOf('pending', 'delivered', 'dead');
const ofWebhook = field('Only deliveries to this webhook. When absent: to all.', optional(uuid()));

const delivery = object({
  deliveryId: field('Id of the delivery; it is also the `webhook-id` that is sent.', uuid()),
  webhookId,
  type: field('Type of the event.', oneOf(...eventTypeNames)),
  state: field(
    '`pending`: waits for an attempt; `delivered`; `dead`: all attempts have failed.',
    deliveryState,
  ),
  attempts: field('Number of attempts that have ended.', integer({ min: 0 })),
  nextAttemptAt: field(
    'When it is tried next; while an attempt runs, when that would count as lost. Null if it is not pending.',
    nullable(dateTime()),
  ),
  lastStatus: field('HTTP status of the last answer; null if there was none.', nullable(integer())),
  lastError: field('Why the last attempt failed; null if it did not.', nullable(text())),
  createdAt,
  deliveredAt: field('When the receiver accepted it; null if it did not.', nullable(dateTime())),
});

export const listDeliveries = operation({
  ...eventOperation,
  effect: 'reads',
  summary: 'List what was sent to the webhooks of a host, and what waits',
  description:
    'Newest first. Deliveries are kept for 30 days and until they have ended, or for `RETENTION_DAYS` if that is less.',
  path: `${SVC}/listDeliveriesHelper`,
  body: object({
    ...hostFields,
    ...pageFields,
    webhookId: ofWebhook,
    state: field('Only deliveries in this state. When absent: in any.', optional(deliveryState)),
  }),
  data: pageOf(delivery),
  example: {
    body: { hostId: HOST_ID, limit: 20, webhookId: WEBHOOK_ID, state: 'dead' as const },
    data: {
      items: [
        {
          deliveryId: DELIVERY_ID,
          webhookId: WEBHOOK_ID,
          type: 'ticket.opened' as const,
          state: 'dead' as const,
          attempts: 11,
          nextAttemptAt: null,
          lastStatus: 500,
          lastError: 'answered 500',
          createdAt: '2026-03-02T14:05:09.120Z',
          deliveredAt: null,
        },
      ],
      nextCursor: null,
    },
  },
  refusals: ['webhook-not-found'],
});

export const replayDeliveries = operation({
  ...eventOperation,
  effect: 'adds',
  summary: 'Send deliveries again',
  description:
    'Those of the given ids, in any state; or those since a time, which are dead. They begin their schedule again, with the same ids. ' +
    `At most ${MAX_REPLAYED} in a request: repeat it until it replays none. Pending ones are not counted, and with \`state: 'all'\` neither are those that were sent again within the last hour and were delivered.`,
  path: `${SVC}/replayDeliveriesHelper`,
  body: object({
    ...hostFields,
    deliveryIds: field(
      'The deliveries to send again. Required without `since`.',
      optional(list(uuid(), { min: 1, max: MAX_REPLAYED })),
    ),
    since: field(
      'Send again those that were created at or after this time and are in that `state`; a date without a time means midnight in the time zone of the host.',
      optional(dateTime()),
    ),
    state: field(
      'With `since`: `dead`, or `all` to send also those again that were delivered. When absent: `dead`.',
      optional(oneOf('dead', 'all')),
    ),
    webhookId: ofWebhook,
  }),
  data: object({ replayed: field('Number of deliveries that are sent again.', integer({ min: 0 })) }),
  example: {
    body: { hostId: HOST_ID, deliveryIds: [DELIVERY_ID], webhookId: WEBHOOK_ID },
    data: { replayed: 1 },
  },
  refusals: ['delivery-not-found', 'webhook-not-found'],
});
