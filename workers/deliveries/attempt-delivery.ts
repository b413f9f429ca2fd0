import type { Db } from '../../db/connection.ts';
import {
  type ClaimedDelivery,
  type Dispatch,
  disableWebhook,
  findDispatch,
  noteDelivered,
  noteFailed,
  releaseDeliveries,
} from '../../db/deliveries.ts';
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
  readonly db: Db;
  readonly seal: Seal;
  readonly egress: Pick<Egress, 'fetch'>;
  readonly random?: () => number;
}

const GONE = 410;

export async function attemptDelivery(
  { db, seal, egress, random = Math.random }: AttemptParts,
  claimed: ClaimedDelivery,
  stop: AbortSignal,
): Promise<Attempt> {
  const dispatch = await findDispatch(db, claimed);
  if (!dispatch) return { outcome: 'stale' };
  const { attempts, ageMs } = dispatch;
  const waited = attempts === 0 ? { firstMs: ageMs } : {};
  const result = await send(dispatch, claimed, { seal, egress }, stop).catch(async error => {
    if (stop.aborted) await releaseDeliveries(db, [claimed]);
    throw error;
  });
  const failure = failureOf(result);
  if (failure === undefined) {
    await noteDelivered(db, claimed, { status: statusOf(result), error: null });
    return { outcome: 'delivered', ...waited };
  }
  const isGone = statusOf(result) === GONE;
  const isLast = isGone || ageMs > SCHEDULE_MS;
  const next = isLast ? null : pauseBeforeNext(attempts + 1, random());
  await noteFailed(db, claimed, { status: statusOf(result), error: failure }, next);
  if (isGone && !dispatch.isCallback) await disableWebhook(db, claimed.hostId, dispatch.webhookId);
  return { outcome: next === null ? 'dead' : 'failed', ...waited };
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

/** Undefined for a success. */
function failureOf(result: SendResult): string | undefined {
  if ('error' in result) return result.error;
  const { status } = result;
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) return 'answered with a redirect, which is not followed';
  return status === GONE ? 'answered 410: the webhook is disabled' : `answered ${status}`;
}
