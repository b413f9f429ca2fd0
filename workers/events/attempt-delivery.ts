import { createHmac } from 'node:crypto';
import type { AttemptResult, ClaimedDelivery, Dispatch } from '../../db/events/deliveries.ts';
import { linkSignals } from '../../platform/link-signals.ts';
import type { Seal } from '../../platform/seal.ts';
import { pauseBeforeNext, SCHEDULE_MS } from '../domain/delivery-schedule.ts';
import { type Fetcher, isEgressRefused } from '../tools/egress.ts';
import { openSecrets } from '../tools/webhook-secrets.ts';

/*
 * One attempt. The claim is read again before the request, and compared when the result is stored: a late attempt, or one that
 * another worker repeats because this one died, stores nothing. If this process dies after the request and before the result,
 * the receiver gets the event twice, with the same id.
 */

type AttemptOutcome = 'delivered' | 'failed' | 'dead' | 'stale';

export interface Attempt {
  readonly outcome: AttemptOutcome;
  /** Time from due to sent; only of first attempts. */
  readonly firstMs?: number;
}

export interface AttemptParts {
  readonly seal: Seal;
  readonly egress: Fetcher;
  find(claimed: ClaimedDelivery): Promise<Dispatch | undefined>;
  store(result: AttemptResult): Promise<void>;
  release(claimed: ClaimedDelivery): Promise<void>;
  disable(hostId: string, webhookId: string, url: string): Promise<void>;
  readonly random?: () => number;
}

const GONE = 410;

export async function attemptDelivery(
  parts: AttemptParts,
  claimed: ClaimedDelivery,
  stop: AbortSignal,
): Promise<Attempt> {
  const dispatch = await parts.find(claimed);
  if (!dispatch) return { outcome: 'stale' };
  const { attempts, ageMs } = dispatch;
  const waited = attempts === 0 ? { firstMs: ageMs } : {};
  const sent = await send(dispatch, claimed, parts, stop).catch(async error => {
    if (stop.aborted) await parts.release(claimed);
    throw error;
  });
  const [status, error] = [statusOf(sent), failureOf(sent)];
  if (error === null) {
    await parts.store({ ...claimed, status, error, nextInMs: null });
    return { outcome: 'delivered', ...waited };
  }
  const isLast = status === GONE || ageMs > SCHEDULE_MS;
  const nextInMs = isLast ? null : pauseBeforeNext(attempts + 1, (parts.random ?? Math.random)());
  await parts.store({ ...claimed, status, error, nextInMs });
  if (status === GONE && !dispatch.isCallback)
    await parts.disable(claimed.hostId, dispatch.webhookId, dispatch.url);
  return { outcome: nextInMs === null ? 'dead' : 'failed', ...waited };
}

async function send(
  { webhookId, url, secrets, type, data, happenedAt, now }: Dispatch,
  { id }: ClaimedDelivery,
  { seal, egress }: AttemptParts,
  stop: AbortSignal,
): Promise<SendResult> {
  const opened = await openSecrets(seal, webhookId, secrets, now.getTime()).catch(() => undefined);
  if (!opened) return { error: 'the secret cannot be decrypted: SECRET_KEY has changed' };
  // `data` is JSON already and is sent as it was written.
  const body = `{"type":${JSON.stringify(type)},"timestamp":"${happenedAt.toISOString()}","data":${data}}`;
  return sendEvent(egress, { url, id, body, secrets: opened, now }, stop);
}

function statusOf(result: SendResult): number | null {
  return 'status' in result ? result.status : null;
}

function failureOf(result: SendResult): string | null {
  if ('error' in result) return result.error;
  const { status } = result;
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'answered with a redirect, which is not followed';
  return status === GONE ? 'answered 410: the webhook is disabled' : `answered ${status}`;
}

interface SignedRequest {
  readonly url: string;
  /** The value of `webhook-id`. */
  readonly id: string;
  readonly body: string;
  readonly secrets: readonly string[];
  readonly now: Date;
}

export interface SendLimits {
  readonly timeoutMs: number;
  /** The time for which the rest of an answer is read, so that its connection can be used again. */
  readonly drainMs: number;
}

export const sendLimits: SendLimits = { timeoutMs: 15_000, drainMs: 500 };

/** The status of the answer, or why there is none, without anything that the receiver sent. */
type SendResult = { readonly status: number } | { readonly error: string };

/** Limits the answer of a receiver; a longer one ends its connection. */
export const MAX_RECEIVED_BYTES = 65_536;

/** Sends one signed request. Only the status counts, so no more of the answer is read than keeps the connection. */
export async function sendEvent(
  { fetch }: Fetcher,
  request: SignedRequest,
  stop: AbortSignal,
  { timeoutMs, drainMs }: SendLimits = sendLimits,
): Promise<SendResult> {
  const ended = new AbortController();
  using linked = linkSignals(ended.signal, stop);
  const timeout = setTimeout(() => ended.abort(), timeoutMs);
  try {
    const response = await fetch(request.url, {
      method: 'POST',
      redirect: 'manual',
      headers: headersOf(request),
      body: request.body,
      signal: linked.signal,
    });
    clearTimeout(timeout);
    const draining = setTimeout(() => ended.abort(), drainMs);
    await response.body?.pipeTo(new WritableStream()).catch(() => undefined);
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

/** Signs with each secret: the receiver may have the new one or still the old one. */
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

/** Signs as Standard Webhooks say, without their library, whose HMAC blocks the event loop for 50 ms a megabyte. */
function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** Returns a fixed text: a network error may tell what is behind a private address. */
function reasonOf(error: unknown): string {
  if (isEgressRefused(error)) return 'the address is not allowed';
  const cause = error instanceof Error ? (error.cause as { readonly code?: unknown } | undefined) : undefined;
  return typeof cause?.code === 'string' && /^[A-Z_]{1,40}$/.test(cause.code)
    ? `no connection (${cause.code})`
    : 'no connection, or no valid answer';
}
