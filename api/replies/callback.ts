import type { Db } from '../../db/connection.ts';
import { findCallbackWebhook } from '../../db/events/callback-webhook.ts';
import { withHost } from '../../db/with-hosts.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import type { Callback, Request } from '../../queues/transport/request.ts';
import type { Ctx } from '../context.ts';
import { isAddress } from '../documents/store-uploads.ts';
import { refuseField } from '../guards/validate.ts';
import { makeRefuseOutage } from './refuse-outage.ts';

const HEADER = 'X-Callback-Url';
const MAX_URL_LENGTH = 2_000;

/** Resolves to undefined if no enabled webhook of the host has this origin. */
export type CallbackFinder = (hostId: string, url: string) => Promise<Callback | undefined>;

export function makeCallbackFinder(db: Db, outage: OutageLog): CallbackFinder {
  const refuseOutage = makeRefuseOutage(outage);
  return async (hostId, url) => {
    const { origin } = new URL(url);
    const find = withHost(db, hostId, scope => findCallbackWebhook(scope, origin));
    const webhookId = await find.catch(refuseOutage);
    return webhookId === undefined ? undefined : { webhookId, url };
  };
}

/** Adds the callback to the request, if it names one. Refuses an address that belongs to no webhook of the host. */
export async function readCallback(ctx: Ctx, request: Request, find: CallbackFinder): Promise<Request> {
  const url = ctx.get(HEADER);
  if (url === '') return request;
  if (!request.isAsync)
    refuseField(HEADER, 'only-with', 'needs Prefer: respond-async, which this operation must support');
  if (url.length > MAX_URL_LENGTH || !isAddress(url) || new URL(url).hash !== '') refuseField(HEADER, 'url');
  const callback = await find(request.caller.hostIds[0] ?? '', url);
  return callback ? { ...request, callback } : refuseField(HEADER, 'url-origin');
}
