import { createHmac } from 'node:crypto';
import type { Egress } from '../tools/egress.ts';
import { isEgressRefused } from '../tools/egress.ts';

export interface SignedRequest {
  readonly url: string;
  /** The `webhook-id`. */
  readonly id: string;
  readonly body: string;
  readonly secrets: readonly string[];
  /** The attempt begins at this time. */
  readonly now: Date;
}

export interface SendLimits {
  readonly timeoutMs: number;
  /** How long the rest of an answer is read, so that its connection can be used again. */
  readonly drainMs: number;
}

export const sendLimits: SendLimits = { timeoutMs: 15_000, drainMs: 500 };

/** The status of the answer; or why there is none, without anything that the receiver has sent. */
export type SendResult = { readonly status: number } | { readonly error: string };

const DRAINED_BYTES = 65_536;

/** Sends one signed request. The status decides: of the answer no more is read than keeps the connection. */
export async function sendEvent(
  { fetch }: Pick<Egress, 'fetch'>,
  request: SignedRequest,
  stop: AbortSignal,
  { timeoutMs, drainMs }: SendLimits = sendLimits,
): Promise<SendResult> {
  const ended = new AbortController();
  const timeout = setTimeout(() => ended.abort(), timeoutMs);
  try {
    const response = await fetch(request.url, {
      method: 'POST',
      redirect: 'manual',
      headers: headersOf(request),
      body: request.body,
      signal: AbortSignal.any([ended.signal, stop]),
    });
    clearTimeout(timeout);
    const draining = setTimeout(() => ended.abort(), drainMs);
    await drain(response).catch(() => undefined);
    clearTimeout(draining);
    return { status: response.status };
  } catch (error) {
    stop.throwIfAborted();
    return { error: ended.signal.aborted ? `no answer within ${timeoutMs / 1_000} s` : reasonOf(error) };
  } finally {
    clearTimeout(timeout);
    ended.abort();
  }
}

/** One signature for each secret: the receiver may have the new one or still the old one. */
export function headersOf({ id, body, secrets, now }: Omit<SignedRequest, 'url'>): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1_000);
  return {
    'content-type': 'application/json',
    'user-agent': 'Parley-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map(secret => signatureOf(secret, id, timestamp, body)).join(' '),
  };
}

/** As Standard Webhooks say. Not by their library, whose HMAC blocks the event loop for 50 ms a megabyte. */
function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

async function drain(response: Response): Promise<void> {
  const reader = response.body?.getReader();
  if (!reader) return;
  for (let left = DRAINED_BYTES; left > 0; ) {
    const { done, value } = await reader.read();
    if (done) return;
    left -= value.byteLength;
  }
  await reader.cancel();
}

/** A fixed text: what the network says may tell what is behind a private address. */
function reasonOf(error: unknown): string {
  if (isEgressRefused(error)) return 'the address is not allowed';
  const cause = error instanceof Error ? (error.cause as { readonly code?: unknown } | undefined) : undefined;
  return typeof cause?.code === 'string' && /^[A-Z_]{1,40}$/.test(cause.code)
    ? `no connection (${cause.code})`
    : 'no connection, or no valid answer';
}
