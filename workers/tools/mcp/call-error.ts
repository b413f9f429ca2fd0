import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { errorCodeOf } from '../../../platform/error-reason.ts';
import { type CallError, callErrorOf as commonErrorOf, isTimeout as isLate } from '../call-error.ts';
import { isEgressRefused } from '../egress.ts';
import { ResponseTooLargeError } from '../response-meter.ts';
import { ValuesUnreadableError } from '../sealed-values.ts';
import { TOO_LARGE } from './bounded-messages.ts';

const MAX_MESSAGE_LENGTH = 500;

/** Returns the server's complaint about a call, for the model alone, which may mend its arguments; untrusted like any result. */
export function messageForModelOf(error: unknown): string | undefined {
  if (!ProtocolError.isInstance(error) || isCutOff(error) || isTimeout(error)) return undefined;
  return error.message.trim().slice(0, MAX_MESSAGE_LENGTH) || undefined;
}

const timeoutCodes: readonly string[] = [SdkErrorCode.RequestTimeout];
const unsentCodes: readonly string[] = [SdkErrorCode.NotConnected, SdkErrorCode.SendFailed];

export function callErrorOf(error: unknown): CallError {
  if (isEgressRefused(error)) return commonErrorOf(error);
  if (isCutOff(error)) return { status: 0, error: 'answer too large' };
  if (isTimeout(error)) return { status: 0, error: 'no answer in time' };
  if (SdkHttpError.isInstance(error)) return { status: error.status, error: `refused with ${error.status}` };
  if (ProtocolError.isInstance(error)) return { status: 0, error: 'the server reported an error' };
  if (SdkError.isInstance(error) && error.code === SdkErrorCode.InvalidResult)
    return { status: 0, error: 'unreadable answer' };
  return commonErrorOf(error);
}

export function isTimeout(error: unknown): boolean {
  return (SdkError.isInstance(error) && timeoutCodes.includes(error.code)) || isLate(error);
}

/** Matches the error that `mcp-fetch.ts` sends in place of a response. */
function isCutOff(error: unknown): boolean {
  return (
    ProtocolError.isInstance(error) && error.code === TOO_LARGE.code && error.message === TOO_LARGE.message
  );
}

/** A server that has answered would do the same over a new connection. */
export function isAnswered(error: unknown): boolean {
  if (SdkHttpError.isInstance(error)) return !isSessionLost(error);
  if (SdkError.isInstance(error)) return error.code === SdkErrorCode.InvalidResult;
  if (error instanceof ResponseTooLargeError || error instanceof ValuesUnreadableError) return true;
  return ProtocolError.isInstance(error) || isEgressRefused(error);
}

/** Whether the call certainly did not reach the server: a retry is safe even if the tool is not idempotent. */
export function isUnsent(error: unknown): boolean {
  if (SdkHttpError.isInstance(error)) return isSessionLost(error);
  if (SdkError.isInstance(error)) return unsentCodes.includes(error.code);
  return errorCodeOf(error) === 'ECONNREFUSED';
}

/** A restarted server does not know its sessions: it answers 404 by the protocol, or 400 on some servers. */
function isSessionLost({ status }: SdkHttpError): boolean {
  return status === 404 || status === 400;
}
