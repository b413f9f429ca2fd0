import {
  type Failure,
  failure,
  isFailure,
  type Outcome,
  type Refusal,
} from '../../queues/contract/failure.ts';
import type { Operation } from '../../queues/contract/operation.ts';

/** The time limit of a request, and the refusal when it is exceeded. */
export interface TimeLimit {
  readonly timeLimitMs: number;
  readonly timeoutRefusal: Refusal;
}

export function timeLimitOf({ timeLimitMs, takesRecords }: Operation, requestTimeoutMs: number): TimeLimit {
  return {
    timeLimitMs: Math.min(timeLimitMs ?? requestTimeoutMs, requestTimeoutMs),
    timeoutRefusal: takesRecords ? 'overloaded' : 'deadline',
  };
}

/** A CRM does not send a record again after a 4xx, so timeouts and bugs get a 503. */
export function mapServerErrorTo503<T>({ takesRecords }: Operation, outcome: Outcome<T>): Outcome<T> {
  if (!takesRecords || !isFailure(outcome) || !isRetryable(outcome)) return outcome;
  return failure(outcome.code === 408 ? 'overloaded' : 'interrupted', outcome.data);
}

/** Whether sending the record again may succeed, although its code suggests otherwise. */
function isRetryable({ code }: Failure): boolean {
  return code === 408 || code === 500;
}
