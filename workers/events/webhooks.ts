import { randomUUID } from 'node:crypto';
import {
  hasDeliveries,
  listDeliveries as listStored,
  replayDeliveries as replayStored,
} from '../../db/events/delivery-list.ts';
import {
  deleteWebhook,
  findWebhookForUpdate,
  forgetFailures,
  hasWebhook,
  listWebhooks as listAll,
  type StoredWebhook,
  upsertWebhook,
} from '../../db/events/webhooks.ts';
import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { errorsAt, fieldError, missingErrorsOf } from '../../platform/field-error.ts';
import type { Seal } from '../../platform/seal.ts';
import { failure, fieldFailure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { readTimePage } from '../bodies/page.ts';
import { readInstants } from '../bodies/read-instants.ts';
import { type EgressRules, webhookUrlErrorOf } from '../domain/egress-address.ts';
import { addDirectEvent } from '../runtime/add-event.ts';
import type { Handler } from '../runtime/job.ts';
import { addSecret, makeSecret } from '../tools/webhook-secrets.ts';

type Body = BodyOf<'saveWebhook'>;
type Data = DataOf<'saveWebhook'>;

/** Without an id, a new webhook for all events would be created instead. */
const noId = fieldFailure('id', 'required', 'is required to delete a webhook');

export interface WebhookRules extends EgressRules {
  readonly seal: Seal;
}

/**
 * The stored reply has the mask: a secret is written nowhere in plain text, and shown once. A reply that another run of this
 * job stored is about that run's secret, and keeps its mask.
 */
export function makeSaveWebhook(rules: WebhookRules): Handler<'saveWebhook'> {
  return async job => {
    const { id, url, deleted } = job.body;
    const fields = errorsAt('url', url === undefined ? undefined : webhookUrlErrorOf(url, rules));
    if (fields.length > 0) return failure('body-invalid', { fields });
    if (deleted && id === undefined) return noId;
    let secret: string | undefined;
    let own: Outcome<Data> | undefined;
    const outcome = await job.commit(async scope => {
      const earlier = id === undefined ? undefined : await findWebhookForUpdate(scope, id);
      if (id !== undefined && !earlier) return failure('webhook-not-found');
      if (earlier && deleted) return remove(scope, earlier);
      secret = earlier && !job.body.rotateSecret ? undefined : makeSecret();
      own = await store(scope, job.body, earlier, { seal: rules.seal, secret });
      return own;
    });
    if (isFailure(outcome) || secret === undefined) return outcome;
    // An unanswered commit returns a copy of the reply; only the own run knows the id of a new webhook.
    const ownId = own && !isFailure(own) ? own.data.webhookId : undefined;
    const isCopy = id === undefined && outcome.data.webhookId === ownId;
    if (outcome !== own && !isCopy) return outcome;
    return { ...outcome, data: { ...outcome.data, secret } };
  };
}

async function remove(scope: HostScope, stored: StoredWebhook): Promise<Outcome<Data>> {
  const { secrets: _, ...webhook } = stored;
  await deleteWebhook(scope, webhook.webhookId);
  return { code: 200, data: { ...webhook, enabled: false, deleted: true } };
}

async function store(
  scope: HostScope,
  body: Body,
  earlier: StoredWebhook | undefined,
  { seal, secret }: { readonly seal: Seal; readonly secret: string | undefined },
): Promise<Outcome<Data>> {
  const { name = earlier?.name, url = earlier?.url, events = earlier?.events } = body;
  if (name === undefined || url === undefined || events === undefined)
    return failure('body-invalid', { fields: missingErrorsOf({ name, url, events }) });
  const id = earlier?.webhookId ?? randomUUID();
  const kept = earlier?.secrets ?? [];
  const webhook = await upsertWebhook(scope, {
    id,
    name,
    url,
    origin: new URL(url).origin,
    events: [...new Set(events)],
    enabled: body.enabled ?? earlier?.enabled ?? true,
    secrets: secret === undefined ? kept : await addSecret(seal, id, secret, kept),
  });
  if (body.url !== undefined || body.enabled) await forgetFailures(scope, id);
  if (!earlier && !(await isWithinLimits(scope, 'webhooks'))) return failure('host-full');
  return { code: 200, data: webhook };
}

export const listWebhooks: Handler<'listWebhooks'> = ({ read }) =>
  read(async scope => ({ code: 200, data: await listAll(scope) }));

export const testWebhook: Handler<'testWebhook'> = job =>
  job.commit(async scope => {
    const webhook = await findWebhookForUpdate(scope, job.body.webhookId);
    if (!webhook) return failure('webhook-not-found');
    if (!webhook.enabled) return failure('webhook-disabled');
    const deliveryId = await addDirectEvent(scope, {
      type: 'webhook.test',
      data: {},
      webhookId: webhook.webhookId,
    });
    if (deliveryId === undefined) throw new Error('The test event was not stored.');
    return { code: 200, data: { deliveryId } };
  });

/** Events of one request. */
const MAX_REPLAYED = 1_000;

export const listDeliveries: Handler<'listDeliveries'> = job =>
  job.read(async scope => {
    const { webhookId } = job.body;
    if (webhookId !== undefined && !(await hasWebhook(scope, webhookId))) return failure('webhook-not-found');
    return readTimePage(job, order => listStored(scope, job.body, order));
  });

export const replayDeliveries: Handler<'replayDeliveries'> = job => {
  const { deliveryIds: ids, since, state, webhookId } = job.body;
  const fields = [
    ...((ids === undefined) === (since === undefined)
      ? [fieldError('deliveryIds', 'exactly-one', 'either it or since is required, not both')]
      : []),
    ...(ids && state ? [fieldError('state', 'only-with', 'is only for those since a time')] : []),
  ];
  if (fields.length > 0) return Promise.resolve(failure('body-invalid', { fields }));
  return job.commit(async scope => {
    if (webhookId !== undefined && !(await hasWebhook(scope, webhookId))) return failure('webhook-not-found');
    if (ids && !(await hasDeliveries(scope, ids))) return failure('delivery-not-found');
    const period = await readInstants(scope, { since });
    if (isFailure(period)) return period;
    const replayed = await replayStored(scope, { ids, since: period.since, state, webhookId }, MAX_REPLAYED);
    return { code: 200, data: { replayed } };
  });
};
