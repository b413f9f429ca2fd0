import { eventTypeNames, wantedEventTypes } from '../events.ts';
import { operation } from '../operation.ts';
import {
  dateTime,
  field,
  flag,
  idAlsoNamed,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import { DELIVERY_ID, HOST_ID, WEBHOOK_ID } from './example-ids.ts';
import { createdAt, hostFields, hostOfObject } from './fields.ts';
import { pageFields, pageOf } from './page.ts';
import { SVC } from './paths.ts';

/** Fields that operations of webhooks and deliveries share. */
const eventOperation = { tag: 'events', scope: 'manage' } as const;

const MAX_URL_LENGTH = 2_000;

const webhookId = field('Id of the webhook, as returned by saveWebhookHelper.', uuid());
const webhookName = field('Display name of the webhook.', text());
const webhookUrl = field(
  'Where events are sent: `http` or `https`, on port 80, 443 or above 1023, not a private address.',
  text({ max: MAX_URL_LENGTH }),
);
const webhookEvents = field(
  'The types of events that it gets. Empty: none, only callbacks and tests.',
  list(oneOf(...wantedEventTypes), { max: wantedEventTypes.length }),
);

const webhook = object({
  webhookId,
  hostId: hostOfObject,
  name: webhookName,
  url: webhookUrl,
  events: webhookEvents,
  enabled: field('Whether events are sent; false after the receiver has answered 410.', flag()),
  secret: field(
    'The secret that signs what is sent, `whsec_…`: in full once, at creation or with `rotateSecret`, then `***`.',
    text(),
  ),
  createdAt,
  deleted: field('True when this request deleted it; absent otherwise.', optional(flag())),
});

const webhookExample = {
  webhookId: WEBHOOK_ID,
  hostId: HOST_ID,
  name: 'CRM',
  url: 'https://crm.example.edu.br/parley',
  events: ['ticket.opened' as const, 'conversation.handover_requested' as const],
  enabled: true,
  secret: '***',
  createdAt: '2026-03-02T14:05:09.120Z',
};

export const saveWebhook = operation({
  ...eventOperation,
  effect: 'changes',
  summary: 'Create, update or delete a webhook',
  description:
    'Events are sent to its URL in the form of Standard Webhooks, signed with its secret. With `id` it is updated: omitted fields stay unchanged. ' +
    'The secret is stored encrypted and shown once; a request that is repeated with its Idempotency-Key more than a minute later gets `***`. ' +
    'With `rotateSecret` a new one is made, and for 24 hours what is sent has a signature of each. At most 20 webhooks a host.',
  path: `${SVC}/saveWebhookHelper`,
  body: object({
    id: field(
      'Id of the webhook to update. When absent: a new one is created.',
      optional(idAlsoNamed('webhookId')),
    ),
    ...hostFields,
    name: field('Display name; required to create a webhook.', optional(webhookName)),
    url: field(
      'Where events are sent: `http` or `https`, on port 80, 443 or above 1023, not a private address; required to create a webhook.',
      optional(webhookUrl),
    ),
    events: field('The types of events that it gets; required to create a webhook.', optional(webhookEvents)),
    enabled: field(
      'Whether events are sent. What happens while it is disabled is not sent later; what waits is. When absent: true for a new one.',
      optional(flag()),
    ),
    rotateSecret: field('Whether to make a new secret. When absent: false.', optional(flag())),
    deleted: field(
      'True deletes the webhook with its deliveries, also those that wait. When absent: false.',
      optional(flag()),
    ),
  }),
  data: webhook,
  example: {
    body: {
      id: WEBHOOK_ID,
      hostId: HOST_ID,
      name: webhookExample.name,
      url: webhookExample.url,
      events: webhookExample.events,
      enabled: true,
      rotateSecret: true,
      deleted: false,
    },
    data: { ...webhookExample, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
  },
  refusals: ['webhook-not-found', 'host-full'],
});

export const listWebhooks = operation({
  ...eventOperation,
  effect: 'reads',
  summary: 'List the webhooks of a host',
  path: `${SVC}/listWebhooksHelper`,
  body: object(hostFields),
  data: responseList(webhook),
  example: { body: { hostId: HOST_ID }, data: [webhookExample] },
});

export const testWebhook = operation({
  ...eventOperation,
  effect: 'adds',
  summary: 'Send a test event to a webhook',
  description:
    'An event `webhook.test`, whatever types the webhook wants. Its fate is in listDeliveriesHelper.',
  path: `${SVC}/testWebhookHelper`,
  body: object({
    ...hostFields,
    webhookId: field('Id of the webhook, as returned by webhooksListHelper.', idAlsoNamed('id')),
  }),
  data: object({
    deliveryId: field('Id of the delivery; it is also the `webhook-id` that is sent.', uuid()),
  }),
  example: { body: { hostId: HOST_ID, webhookId: WEBHOOK_ID }, data: { deliveryId: DELIVERY_ID } },
  refusals: ['webhook-not-found', 'webhook-disabled'],
});

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
