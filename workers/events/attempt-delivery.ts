import type { AttemptResult, ClaimedDelivery, Dispatch } from '../../db/events/deliveries.ts';
import type { Seal } from '../../platform/seal.ts';
import { pauseBeforeNext, SCHEDULE_MS } from '../domain/delivery-schedule.ts';
import type { Egress } from '../tools/egress.ts';
import { openSecrets } from '../tools/webhook-secrets.ts';
import { type SendResult, sendEvent } from './send-event.ts';

/*
 * One attempt. The claim is read again before the request, and stored with the result: an attempt that another worker
 * repeats because this one died, or came too late, stores nothing. Where this process dies after the request and before the
 * result, the receiver gets it twice, with the same id.
 */

export type AttemptOutcome = 'delivered' | 'failed' | 'dead' | 'stale';

export interface Attempt {
  readonly outcome: AttemptOutcome;
  /** From when it was due until the request was sent; only of first attempts. */
  readonly firstMs?: number;
}

export interface AttemptParts {
  readonly seal: Seal;
  readonly egress: Pick<Egress, 'fetch'>;
  find(claimed: ClaimedDelivery): Promise<Dispatch | undefined>;
  store(result: AttemptResult): Promise<void>;
  release(claimed: ClaimedDelivery): Promise<void>;
  disable(hostId: string, webhookId: string): Promise<void>;
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
  if (status === GONE && !dispatch.isCallback) await parts.disable(claimed.hostId, dispatch.webhookId);
  return { outcome: nextInMs === null ? 'dead' : 'failed', ...waited };
}

async function send(
  { webhookId, url, secrets, type, data, happenedAt, now }: Dispatch,
  { id }: ClaimedDelivery,
  { seal, egress }: Pick<AttemptParts, 'seal' | 'egress'>,
  stop: AbortSignal,
): Promise<SendResult> {
  const opened = await openSecrets(seal, webhookId, secrets, now.getTime()).catch(() => undefined);
  if (!opened) return { error: 'the secret cannot be decrypted: SECRET_KEY has changed' };
  // `data` is JSON already, and stays as it was written.
  const body = `{"type":${JSON.stringify(type)},"timestamp":"${happenedAt.toISOString()}","data":${data}}`;
  return sendEvent(egress, { url, id, body, secrets: opened, now }, stop);
}

function statusOf(result: SendResult): number | null {
  return 'status' in result ? result.status : null;
}

/** Null for a success. */
function failureOf(result: SendResult): string | null {
  if ('error' in result) return result.error;
  const { status } = result;
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'answered with a redirect, which is not followed';
  return status === GONE ? 'answered 410: the webhook is disabled' : `answered ${status}`;
}
