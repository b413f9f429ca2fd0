import { setTimeout as delay } from 'node:timers/promises';
import type { Seal } from '../../platform/seal.ts';
import { failure, isKept, type Outcome } from '../contract/failure.ts';
import type { JobRequest } from './queued-job.ts';

/** A reply as a worker has kept it in the database, of a job that one of these hosts asked for. */
export interface KeptReply {
  readonly outcome: Outcome<unknown>;
  /** Of the body that it answers. */
  readonly bodyMac: string | undefined;
}

/** Waits at most `withinMs` for one that is being committed. */
export type FindKeptReply = (
  jobId: string,
  hostIds: readonly string[],
  withinMs: number,
) => Promise<KeptReply | undefined>;

/** The outcome that a request finds where replies are kept; undefined where there is none, or none in time. */
export async function keptOutcome(
  find: FindKeptReply,
  seal: Seal,
  { caller, idempotencyKey, body }: JobRequest,
  { jobId, withinMs }: { readonly jobId: string; readonly withinMs: number },
): Promise<Outcome<unknown> | undefined> {
  const late = delay(withinMs, undefined, { ref: false });
  const found = find(jobId, caller.hostIds, withinMs).catch(() => undefined);
  const kept = await Promise.race([found, late]);
  if (!kept || !isKept(kept.outcome.code)) return undefined;
  const isOther = idempotencyKey !== undefined && kept.bodyMac !== seal.mac(body);
  return isOther ? failure('key-reused') : kept.outcome;
}
