import {
  hasDeliveries,
  listDeliveries as listStored,
  replayDeliveries as replayStored,
} from '../../db/events/delivery-list.ts';
import { hasWebhook } from '../../db/events/webhooks.ts';
import { failure, isFailure } from '../../queues/contract/failure.ts';
import { readTimePage } from '../bodies/page.ts';
import { readInstants } from '../bodies/read-instants.ts';
import type { Handler } from '../runtime/job.ts';

/** The limit of one request. */
const MAX_REPLAYED = 1_000;

export const listDeliveries: Handler<'listDeliveries'> = job =>
  job.read(async scope => {
    const { webhookId } = job.body;
    if (webhookId !== undefined && !(await hasWebhook(scope, webhookId))) return failure('webhook-not-found');
    const page = await readTimePage(job, order => listStored(scope, job.body, order));
    return isFailure(page) ? page : { code: 200, data: page };
  });

export const replayDeliveries: Handler<'replayDeliveries'> = job => {
  const { deliveryIds: ids, since, state, webhookId } = job.body;
  const fields = [
    ...((ids === undefined) === (since === undefined)
      ? [{ path: 'deliveryIds', message: 'either it or since is required, not both' }]
      : []),
    ...(ids && state ? [{ path: 'state', message: 'is only for those since a time' }] : []),
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
