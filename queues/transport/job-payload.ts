import type { TraceCarrier } from '../../platform/span.ts';
import type { Caller } from '../contract/operation.ts';
import { type QueueName, queues } from '../contract/queues.ts';

/*
 * The request part of a job. It is sealed in the queue store, as the outcome is.
 */

/** A request: created by the API, sent in the job, passed to the handler. */
export interface JobPayload {
  readonly operation: string;
  readonly requestId: string;
  readonly caller: Caller;
  readonly body: unknown;
  /** Retries with the same Idempotency-Key share one job. */
  readonly idempotencyKey?: string;
  /** Requested with `Prefer: respond-async`: nobody waits, so the reply must be stored. */
  readonly isAsync?: boolean;
  /** The conversation of the turn is created if it does not exist: the api derived its id. */
  readonly opensConversation?: boolean;
  /** Where the requester wants to be told of the end of the job. */
  readonly callback?: JobCallback;
  /** The document of the request, which the database keeps. */
  readonly upload?: JobUpload;
  /** Of a record that was signed, and has no token. */
  readonly source?: RecordSource;
  /** Milliseconds on the store's clock. */
  readonly arrivedAt: number;
  readonly deadline: number;
  /** Only if tracing is enabled. */
  readonly trace?: TraceCarrier;
}

export interface JobUpload {
  readonly id: string;
  /** SHA-256 of the bytes: with it, a retry with the same Idempotency-Key is told from another request. */
  readonly digest: string;
}

export interface JobCallback {
  readonly url: string;
  /** Whose secret signs it. */
  readonly webhookId: string;
}

export interface RecordSource {
  readonly id: string;
  /** Identifies the signed message and the record in it. Undefined: nothing tells a replay from a new message. */
  readonly message: string | undefined;
  /** `early`: the reply is sent once the record is stored, and the record is mapped after that. */
  readonly ack: 'early' | 'late';
}

/** How error responses name the job. */
export function jobReferenceOf(queue: QueueName, jobId: string): { readonly [field: string]: string } {
  return { [queues[queue].jobIdField ?? 'job_id']: jobId };
}
