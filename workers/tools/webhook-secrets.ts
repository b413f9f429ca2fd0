import { randomBytes } from 'node:crypto';
import type { SealedSecret } from '../../db/events/webhooks.ts';
import { makeSeal, type Seal, type SecretKeys } from '../../platform/seal.ts';

/** An old secret signs beside the new one for this long. */
const ROTATION_MS = 24 * 3_600_000;
/** Limits secrets that are rotated again and again; each costs a signature. */
const MAX_SECRETS = 5;
const SECRET_BYTES = 24;

export function makeWebhookSeal(keys: SecretKeys | string): Seal {
  return makeSeal(keys, 'webhook secret');
}

/** A secret in the form of Standard Webhooks. */
export function makeSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Adds a new secret; `earlier` ones stay valid for a day. */
export async function addSecret(
  seal: Seal,
  webhookId: string,
  secret: string,
  earlier: readonly SealedSecret[],
  now = Date.now(),
): Promise<SealedSecret[]> {
  const until = new Date(now + ROTATION_MS).toISOString();
  const kept = validSecrets(earlier, now).map(({ sealed, until: ends = until }) => ({ sealed, until: ends }));
  return [{ sealed: await seal.seal(secret, webhookId) }, ...kept].slice(0, MAX_SECRETS);
}

/**
 * Opens the secrets that sign at this time, the current one first. An earlier one that was sealed before SECRET_KEY was changed
 * cannot be opened, and no longer signs.
 */
export async function openSecrets(
  seal: Seal,
  webhookId: string,
  secrets: readonly SealedSecret[],
  now: number,
): Promise<string[]> {
  const opened = await Promise.allSettled(
    validSecrets(secrets, now).map(async ({ sealed }) => String(await seal.open(sealed, webhookId))),
  );
  const [current] = opened;
  if (current?.status === 'rejected') throw current.reason;
  return opened.flatMap(secret => (secret.status === 'fulfilled' ? [secret.value] : []));
}

function validSecrets(secrets: readonly SealedSecret[], now: number): readonly SealedSecret[] {
  return secrets.filter(({ until }) => until === undefined || Date.parse(until) > now);
}
