import { setTimeout as delay } from 'node:timers/promises';
import { withinMs } from '../../platform/link-signals.ts';
import type { Seal } from '../../platform/seal.ts';
import { failure, isFinal, type Outcome } from '../contract/failure.ts';
import { bodyMacOf, isKeyReused, type Request } from './request.ts';

/** A reply that a worker stored in the database for a job of one of these hosts. */
export interface StoredReply {
  readonly outcome: Outcome<unknown>;
  /** MAC of the request body that it replies to. */
  readonly bodyMac: string | undefined;
}

/** Waits at most `withinMs` for a reply that is being committed. */
export type StoredReplyFinder = (
  jobId: string,
  hostIds: readonly string[],
  withinMs: number,
) => Promise<StoredReply | undefined>;

export interface StoredReplySource {
  readonly find: StoredReplyFinder;
  readonly seal: Seal;
  readonly jobId: string;
}

/**
 * The final outcome stored for this request, or a failure if its key was used with another body. Undefined if there is none, or
 * if the look-up takes too long.
 */
export async function findCheckedOutcome(
  source: StoredReplySource,
  request: Request,
  limitMs: number,
): Promise<Outcome<unknown> | undefined> {
  const reply = await findFinalReply(source, request, limitMs);
  if (!reply) return undefined;
  return isKeyReused(reply, bodyMacOf(request, source.seal)) ? failure('key-reused') : reply.outcome;
}

/** The final reply stored for the job, whatever its body; undefined as above. */
export async function findFinalReply(
  { find, jobId }: Pick<StoredReplySource, 'find' | 'jobId'>,
  { caller }: Request,
  limitMs: number,
): Promise<StoredReply | undefined> {
  const reply = await withinMs(find(jobId, caller.hostIds, limitMs), limitMs).catch(() => undefined);
  return reply && isFinal(reply.outcome.code) ? reply : undefined;
}

const POLL_EVERY_MS = 200;

/** Looks for the outcome again and again until there is one or the time is up. */
export async function pollOutcome(
  find: (withinMs: number) => Promise<Outcome<unknown> | undefined>,
  limitMs: number,
): Promise<Outcome<unknown> | undefined> {
  const endsAt = performance.now() + limitMs;
  while (performance.now() < endsAt) {
    const outcome = await find(POLL_EVERY_MS);
    if (outcome) return outcome;
    await delay(POLL_EVERY_MS, undefined, { ref: false });
  }
  return undefined;
}
