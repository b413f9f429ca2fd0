import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type SigningSource, secretLabelOf } from '../../db/intake/crm-sources.ts';
import type { Seal } from '../../platform/seal.ts';
import { keyOf, type SignedContent, type SignedRequest, signedContentOf } from './signed-content.ts';

/*
 * Checks that a request comes from the source of its address. An unknown or disabled address costs as much as a wrong signature:
 * the same work is done with the secret of a decoy. Node's HMAC takes a millisecond for a body of 1 MiB.
 */

export type SignatureResult =
  | {
      readonly source: SigningSource /** Undefined: nothing tells a replay. */;
      readonly message: string | undefined;
    }
  | { readonly refused: SignatureRefusal };
/** The reason, only for operators: the caller always gets the same 401. */
export type SignatureRefusal = 'unknown' | 'forged' | 'replayed';

export interface SignatureCheck {
  /** `arrivedAt`: when the request arrived, in milliseconds. */
  check(
    source: SigningSource | undefined,
    request: SignedRequest,
    arrivedAt: number,
  ): Promise<SignatureResult>;
}

/** The time of signing may differ from the arrival by this much, in both directions: clocks differ. */
const TOLERANCE_MS = 300_000;

export async function makeSignatureCheck(seal: Seal): Promise<SignatureCheck> {
  const decoy = await makeDecoy(seal);
  return {
    async check(source, request, arrivedAt) {
      const checked = source ?? decoy;
      const content = signedContentOf(checked, request);
      const isSigned = isSignedWith(content, await openKeys(seal, checked));
      if (!source) return { refused: 'unknown' };
      if (!isSigned) return { refused: 'forged' };
      if (!isRecent(content, arrivedAt)) return { refused: 'replayed' };
      return { source, message: messageOf(content) };
    },
  };
}

/**
 * Always opens two keys, so that the duration does not reveal a rotation. The earlier secret cannot be opened if it was sealed
 * before SECRET_KEY changed.
 */
async function openKeys(seal: Seal, source: SigningSource): Promise<Buffer[]> {
  const { id, sealedSecret, sealedEarlierSecret } = source;
  const open = async (sealed: string) =>
    keyOf(source, (await seal.open(sealed, secretLabelOf(id))) as string);
  const current = await open(sealedSecret);
  return [current, await open(sealedEarlierSecret ?? sealedSecret).catch(() => current)];
}

/** Compares every pair, in constant time for signatures of the right length. */
function isSignedWith({ algorithm, parts, signatures }: SignedContent, keys: readonly Buffer[]): boolean {
  let isSigned = false;
  for (const key of keys) {
    const hmac = createHmac(algorithm, key);
    for (const part of parts) hmac.update(part);
    const right = hmac.digest();
    for (const signature of signatures) {
      const compared = signature.length === right.length ? signature : Buffer.alloc(right.length);
      if (timingSafeEqual(compared, right) && signature.length === right.length) isSigned = true;
    }
  }
  return isSigned;
}

function isRecent({ signedAt }: SignedContent, arrivedAt: number): boolean {
  return signedAt === undefined || Math.abs(arrivedAt - signedAt) <= TOLERANCE_MS;
}

/** Equal only for a repeated message: a new one has another time. */
function messageOf({ parts, signedAt }: SignedContent): string | undefined {
  if (signedAt === undefined) return undefined;
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest('base64url');
}

async function makeDecoy(seal: Seal): Promise<SigningSource> {
  const id = 'decoy';
  const sealedSecret = await seal.seal(randomBytes(32).toString('base64'), secretLabelOf(id));
  const host = { host_id: '', host_slug: '', host_name: '', share: 1, disabled: false, time_zone: 'UTC' };
  const settings = { name: id, kind: 'tickets', scheme: 'standard', settings: {}, ack: 'late' } as const;
  return { id, ...settings, host, sealedSecret, sealedEarlierSecret: null };
}
