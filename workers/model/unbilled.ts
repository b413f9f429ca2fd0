import { APIConnectionError, APIError } from 'openai';

/** Of errors before a connection: the request was not sent. */
const UNSENT_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Whether the provider bills nothing: it refused the request, or was not reached. A call that was aborted or broke off may
 * be billed.
 */
export function isUnbilled(error: unknown): boolean {
  if (error instanceof APIConnectionError) return UNSENT_CODES.has(String(codeOf(error.cause)));
  return error instanceof APIError && error.status !== undefined;
}

/** Of an error, or of its innermost cause. */
function codeOf(error: unknown): unknown {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  return code ?? (cause === undefined ? undefined : codeOf(cause));
}
