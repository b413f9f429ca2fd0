import { wantedEventTypes } from '../events.ts';
import { field, flag, list, object, oneOf, optional, text, uuid } from '../shape.ts';
import { HOST_ID, WEBHOOK_ID } from './example-ids.ts';
import { createdAt, hostOfObject } from './fields.ts';

/** What the operations of webhooks and their deliveries have in common. */
export const eventOperation = {
  queue: 'catalog',
  tag: 'events',
  method: 'POST',
  status: 200,
  scope: 'manage',
  hosts: 'one',
} as const;

const MAX_URL_LENGTH = 2_000;

export const webhookId = field('Id of the webhook, as returned by saveWebhookHelper.', uuid());
export const webhookName = field('Display name of the webhook.', text());
export const webhookUrl = field(
  'Where events are sent: `http` or `https`, on port 80, 443 or above 1023, not a private address.',
  text({ max: MAX_URL_LENGTH }),
);
export const webhookEvents = field(
  'The types of events that it gets. Empty: none, only callbacks and tests.',
  list(oneOf(...wantedEventTypes), { max: wantedEventTypes.length }),
);

export const webhook = object({
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

export const webhookExample = {
  webhookId: WEBHOOK_ID,
  hostId: HOST_ID,
  name: 'CRM',
  url: 'https://crm.example.edu.br/parley',
  events: ['ticket.opened' as const, 'conversation.handover_requested' as const],
  enabled: true,
  secret: '***',
  createdAt: '2026-03-02T14:05:09.120Z',
};
