import { rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** Finds the oldest enabled webhook of this scheme, host name and port. */
export async function findCallbackWebhook(
  { tx, hostId }: HostScope,
  origin: string,
): Promise<string | undefined> {
  const [found] = await rowsOf<{ id: string }>(tx)`
    select id from webhooks where host_id = ${hostId} and origin = ${origin} and enabled
    order by created_at, id limit 1`;
  return found?.id;
}
