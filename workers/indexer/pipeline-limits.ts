import { makeBackoff } from '../../platform/repeat.ts';

export interface PipelineLimits {
  readonly batchSize: number;
  /** A partial batch is flushed when its oldest event is this old. */
  readonly flushMs: number;
  readonly reconcileEveryMs: number;
  /** The first backoff; it doubles with each retry. */
  readonly backOffMs: number;
}

export const CHUNK_SIZE = 50;
/** Above this share of failures in a batch, the index is failing and not single records. */
export const MAX_FAILURE_RATE = 0.8;
export const RECONNECT_ATTEMPTS = 5;

const MAX_PAUSE_MS = 300_000;
const MINUTE_MS = 60_000;

export const limitsOf = {
  production: { batchSize: 200, flushMs: 1_000, reconcileEveryMs: 5 * MINUTE_MS, backOffMs: 250 },
  staging: { batchSize: 100, flushMs: 1_500, reconcileEveryMs: 5 * MINUTE_MS, backOffMs: 250 },
  development: { batchSize: 50, flushMs: 2_000, reconcileEveryMs: 10 * MINUTE_MS, backOffMs: 250 },
} as const satisfies Record<string, PipelineLimits>;

export function backoffOf({ backOffMs }: PipelineLimits): ReturnType<typeof makeBackoff> {
  return makeBackoff(backOffMs, MAX_PAUSE_MS);
}
