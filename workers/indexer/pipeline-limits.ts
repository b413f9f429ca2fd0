/** How the search pipeline goes about its work. */
export interface PipelineLimits {
  readonly batchSize: number;
  /** A batch that does not fill up goes when its oldest event is this old. */
  readonly flushMs: number;
  readonly reconcileEveryMs: number;
  /** The first pause of anything that is tried again; it doubles with each try. */
  readonly backOffMs: number;
}

export const CHUNK_SIZE = 50;
/** Of a batch; more than this, and it is no single record that is at fault. */
export const HIGHEST_FAILURE_RATE = 0.8;
export const RECONNECT_ATTEMPTS = 5;

const minute = 60_000;

export const limitsOf = {
  production: { batchSize: 200, flushMs: 1_000, reconcileEveryMs: 5 * minute, backOffMs: 250 },
  staging: { batchSize: 100, flushMs: 1_500, reconcileEveryMs: 5 * minute, backOffMs: 250 },
  development: { batchSize: 50, flushMs: 2_000, reconcileEveryMs: 10 * minute, backOffMs: 250 },
} as const satisfies Record<string, PipelineLimits>;
