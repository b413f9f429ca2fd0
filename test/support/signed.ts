import { createHmac, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { insertSource, type NewSource, secretLabelOf } from '../../db/intake/crm-sources.ts';
import { withHost } from '../../db/with-hosts.ts';
import { makeSeal } from '../../platform/seal.ts';
import { CRM } from './crm.ts';
import type { ApiResponse, Service } from './service.ts';

/** A source that signs as its scheme says. */
export interface TestSource {
  readonly id: string;
  readonly path: string;
  readonly secret: string;
}

export const STANDARD_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export async function makeSource(
  { db, settings, demo }: Pick<Service, 'db' | 'settings' | 'demo'>,
  source: Partial<NewSource> & { readonly secret?: string; readonly hostId?: string } = {},
): Promise<TestSource> {
  const { secret = STANDARD_SECRET, hostId = demo.hostId, ...given } = source;
  const id = randomUUID();
  const sealedSecret = await makeSeal(settings.secretKey, 'source secret').seal(secret, secretLabelOf(id));
  const address = randomUUID().replaceAll('-', '');
  const defaults = { kind: 'deals', scheme: 'standard', settings: {}, ack: 'late', enabled: true } as const;
  const stored = { id, name: id, address, ...defaults, ...given, sealedSecret };
  await withHost(db, hostId, scope => insertSource(scope, stored));
  return { id, path: `${CRM}/in/${address}`, secret };
}

export interface StandardMessage {
  readonly id?: string;
  readonly at?: Date;
  readonly secret?: string;
}

/** The headers of Standard Webhooks, made by its own package. */
export function standardHeaders(
  body: string,
  { id = `msg_${randomUUID()}`, at = new Date(), secret = STANDARD_SECRET }: StandardMessage = {},
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}

/** Sends the value, signed by Standard Webhooks, without a token. */
export function sendSigned(service: Service, { path }: TestSource, value: unknown): Promise<ApiResponse> {
  const body = JSON.stringify(value);
  return sendRaw(service, path, body, standardHeaders(body));
}

export function sendRaw(
  service: Pick<Service, 'call'>,
  path: string,
  body: string | Uint8Array,
  headers: Record<string, string>,
): Promise<ApiResponse> {
  return service.call(path, body, { token: undefined, headers });
}

export function hmacOf(
  secret: string,
  text: string | Uint8Array,
  { algorithm = 'sha256', encoding = 'hex' }: { algorithm?: string; encoding?: 'hex' | 'base64' } = {},
): string {
  return createHmac(algorithm, secret).update(text).digest(encoding);
}
