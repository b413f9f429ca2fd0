import { operation } from '../operation.ts';
import { field, flag, idAlsoNamed, object, optional, responseList, uuid } from '../shape.ts';
import { DELIVERY_ID, HOST_ID, WEBHOOK_ID } from './example-ids.ts';
import { hostFields } from './fields.ts';
import { SVC } from './paths.ts';
import {
  eventOperation,
  webhook,
  webhookEvents,
  webhookExample,
  webhookName,
  webhookUrl,
} from './webhook-shape.ts';

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
  refusals: [],
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
