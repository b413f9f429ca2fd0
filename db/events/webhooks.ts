import type { DataOf } from '../../queues/contract/operations/index.ts';
import { jsonOf, returnsRow, rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** As it is answered, its secret masked. */
type Webhook = DataOf<'saveWebhook'>;

export interface StoredWebhook extends Webhook {
  readonly secrets: readonly SealedSecret[];
}

interface WebhookToSet {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Scheme, host name and port of the URL. */
  readonly origin: string;
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly secrets: readonly SealedSecret[];
}

/** An encrypted secret; db does not know the key. */
export interface SealedSecret {
  readonly sealed: string;
  /** The end of its validity, ISO 8601; the current secret has none. */
  readonly until?: string;
}

const columns = sql`id as "webhookId", host_id as "hostId", name, url, events, enabled, '***' as secret,
  created_at at time zone 'UTC' as "createdAt"`;

export async function upsertWebhook(
  { tx, hostId }: HostScope,
  { id, name, url, origin, events, enabled, secrets }: WebhookToSet,
): Promise<Webhook> {
  const [saved] = await rowsOf<Webhook>(tx)`
    insert into webhooks (host_id, id, name, url, origin, events, enabled, secrets)
    values (${hostId}, ${id}, ${name}, ${url}, ${origin}, ${events}::text[], ${enabled}, ${jsonOf(secrets)}::jsonb)
    on conflict (host_id, id) do update set name = excluded.name, url = excluded.url, origin = excluded.origin,
      events = excluded.events, enabled = excluded.enabled, secrets = excluded.secrets, updated_at = now()
    returning ${columns}`;
  if (!saved) throw new Error('The webhook was not stored.');
  return saved;
}

export async function hasWebhook({ tx, hostId }: HostScope, id: string): Promise<boolean> {
  return returnsRow(tx)`select from webhooks where host_id = ${hostId} and id = ${id}`;
}

/** Locks the webhook until the transaction ends. */
export async function findWebhookForUpdate(
  { tx, hostId }: HostScope,
  id: string,
): Promise<StoredWebhook | undefined> {
  return rowOf<StoredWebhook>(tx)`
    select ${columns}, secrets from webhooks where host_id = ${hostId} and id = ${id} for no key update`;
}

/** Lists the oldest first, including disabled ones. */
export async function listWebhooks({ tx, hostId }: HostScope): Promise<Webhook[]> {
  return rowsOf<Webhook>(tx)`
    select ${columns} from webhooks where host_id = ${hostId} order by created_at, id`;
}

/**
 * Also deletes the webhook's deliveries, so that none is sent any more. A delivery of an event whose transaction is still open
 * is deleted later (`deleteStrayDeliveries`).
 */
export async function deleteWebhook({ tx, hostId }: HostScope, id: string): Promise<void> {
  // Deliveries come first, in the order in which results are stored: otherwise the two wait for each other.
  await rowsOf(tx)`delete from deliveries where host_id = ${hostId} and webhook_id = ${id}`;
  await rowsOf(tx)`delete from webhooks where host_id = ${hostId} and id = ${id}`;
  // An event may have added deliveries meanwhile.
  await rowsOf(tx)`delete from deliveries where host_id = ${hostId} and webhook_id = ${id}`;
}

/** Tries the receiver again at once: the failures were another URL's, or are mended. */
export async function forgetFailures({ tx, hostId }: HostScope, id: string): Promise<void> {
  await rowsOf(tx)`delete from webhook_lanes where host_id = ${hostId} and webhook_id = ${id}`;
}
