import type { TraceCarrier } from '../../platform/span.ts';
import type { Caller, QueueName } from '../contract/operation.ts';

/*
 * What crosses the queue: a question going out, an outcome coming back. Both are sealed in the queue's store.
 */

/** One request on its way: made by the api, carried by the job, handed to the handler. */
export interface JobPayload {
  readonly operation: string;
  readonly requestId: string;
  readonly caller: Caller;
  readonly body: unknown;
  /** Present when the client gave an Idempotency-Key: its retries are the same job. */
  readonly idempotencyKey?: string;
  /** Asked with `Prefer: respond-async`: nobody waits, the reply must be kept. */
  readonly isAsync?: boolean;
  /** Milliseconds on the store's clock. */
  readonly arrivedAt: number;
  readonly deadline: number;
  /** Where requests are traced. */
  readonly trace?: TraceCarrier;
}

/** How an error answer names the job: a turn's is the turn's id. */
export function jobReferenceOf(queue: QueueName, jobId: string): { turnId: string } | { job_id: string } {
  return queue === 'turns' ? { turnId: jobId } : { job_id: jobId };
}
