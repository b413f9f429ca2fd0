import type { TraceCarrier } from '../../platform/span.ts';
import type { Caller, JobExtras } from '../contract/operation.ts';
import { type QueueName, queues } from '../contract/queues.ts';

/*
 * The request part of a job. It is sealed in the queue store, as the outcome is.
 */

/** A request: created by the API, sent in the job, passed to the handler. Of the extras it has what its operation names. */
export interface JobPayload extends Partial<JobExtras> {
  readonly operation: string;
  readonly requestId: string;
  readonly caller: Caller;
  readonly body: unknown;
  /** Retries with the same Idempotency-Key share one job. */
  readonly idempotencyKey?: string;
  /** Requested with `Prefer: respond-async`: nobody waits, so the reply must be stored. */
  readonly isAsync?: boolean;
  /** Where the requester wants to be told of the end of the job. */
  readonly callback?: JobCallback;
  /** Milliseconds on the store's clock. */
  readonly arrivedAt: number;
  readonly deadline: number;
  /** Only if tracing is enabled. */
  readonly trace?: TraceCarrier;
}

export interface JobCallback {
  readonly url: string;
  /** Whose secret signs it. */
  readonly webhookId: string;
}

/** How error responses name the job. */
export function jobReferenceOf(queue: QueueName, jobId: string): { readonly [field: string]: string } {
  return { [queues[queue].jobIdField ?? 'job_id']: jobId };
}
