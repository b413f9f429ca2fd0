import { errorCodeOf } from '../../platform/error-reason.ts';
import { isRefusedTls } from '../../platform/refused-login.ts';
import { isEgressRefused } from './egress.ts';
import { ResponseTooLargeError } from './response-meter.ts';
import { ValuesUnreadableError } from './sealed-values.ts';

/** Describes the failure of a call in our own words, which are logged and shown: the other side's own may contain anything. */
export interface CallError {
  readonly status: number;
  readonly error: string;
  /** Set where no request can have been sent. */
  readonly isUnsent?: boolean;
}

const UNSENT: readonly unknown[] = ['EAI_AGAIN', 'ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT'];

export function callErrorOf(error: unknown): CallError {
  const isUnsent = isEgressRefused(error) || UNSENT.includes(errorCodeOf(error));
  return { status: 0, error: reasonOf(error), ...(isUnsent ? { isUnsent } : {}) };
}

function reasonOf(error: unknown): string {
  if (isEgressRefused(error)) return 'not allowed';
  if (error instanceof ValuesUnreadableError) return 'secrets must be saved again';
  if (error instanceof ResponseTooLargeError) return 'answer too large';
  if (isTimeout(error)) return 'no answer in time';
  return isRefusedTls(errorCodeOf(error)) ? 'no valid TLS' : 'no connection';
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}
