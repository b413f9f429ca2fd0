import { describeField, meaningOf } from './error-texts.ts';
import { ServiceError } from './service.ts';

/* Errors of the service in Portuguese. */

export interface ErrorText {
  readonly meaning: string;
  /** One text for each field of the form that is wrong. */
  readonly fields: readonly string[];
  /** Undefined if there was no answer. */
  readonly code: number | undefined;
  /** Operators find the request in the log by it. */
  readonly requestId: string;
}

export function describeError(error: unknown): ErrorText {
  const { reason, status, fields, requestId } =
    error instanceof ServiceError ? error : new ServiceError(-1, String(error));
  const meaning = meaningOf(status, reason);
  return {
    meaning,
    fields: [...new Set(fields.map(describeField))],
    code: status > 0 ? status : undefined,
    requestId,
  };
}

/** Whether the connection failed. */
export const isLost = (error: unknown): boolean => error instanceof ServiceError && error.status === 0;

export function isWorthRetrying(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    (error.status === 0 || error.status === 408 || error.status === 429 || error.status >= 500)
  );
}
