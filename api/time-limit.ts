import { type Failure, failure, isFailure, type Outcome, type Refusal } from '../queues/contract/failure.ts';
import type { Operation } from '../queues/contract/operation.ts';

/** How long a request may take, and what it gets when it took longer. */
export interface TimeLimit {
  readonly withinMs: number;
  readonly late: Refusal;
}

export function timeLimitOf({ deadlineMs, takesRecords }: Operation, settingMs: number): TimeLimit {
  return {
    withinMs: Math.min(deadlineMs ?? settingMs, settingMs),
    late: takesRecords ? 'overloaded' : 'deadline',
  };
}

/** A workflow gives up a record for good where the status blames the record: our own fault must never look so. */
export function mapFaultTo503<T>({ takesRecords }: Operation, outcome: Outcome<T>): Outcome<T> {
  if (!takesRecords || !isFailure(outcome) || !isServerFault(outcome)) return outcome;
  return failure(outcome.code === 408 ? 'overloaded' : 'interrupted', outcome.data);
}

function isServerFault({ code }: Failure): boolean {
  return code === 408 || code === 500;
}
