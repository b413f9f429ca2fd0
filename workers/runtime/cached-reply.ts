import { createHash } from 'node:crypto';
import type { NewReply, Subject } from '../../db/replies.ts';
import type { Outcome } from '../../queues/contract/failure.ts';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import type { JobRun } from '../../queues/transport/consumer.ts';

export interface Cache {
  /** Equal for the same operation with the same body; never equal to the id of a job. */
  readonly key: string;
  readonly table: Subject;
  /** The row of the table that the reply depends on. */
  readonly subjectId: string;
  readonly ttlMs: number;
}

/** The cache entry of this request, if its operation has a cache. */
export function cacheOf({ operation, body }: Pick<JobRun, 'operation' | 'body'>): Cache | undefined {
  const { cache } = operationOf(operation as OperationName);
  if (!cache) return undefined;
  const digest = createHash('sha256').update(JSON.stringify([operation, body]));
  const subjectId = (body as Readonly<Record<string, string>>)[cache.idField] ?? '';
  return {
    key: `c${digest.digest('hex').slice(0, 40)}`,
    table: cache.table,
    subjectId,
    ttlMs: cache.seconds * 1_000,
  };
}

export function toCachedReply({ operation }: JobRun, cache: Cache, outcome: Outcome<unknown>): NewReply {
  const { key, subjectId, ttlMs } = cache;
  return { jobId: key, operation, outcome, isFinal: true, about: subjectId, ttlMs };
}
