import {
  ExponentialBackoff,
  handleWhen,
  type IBackoff,
  type IBackoffFactory,
  type RetryPolicy,
  retry,
} from 'cockatiel';
import { readRetryAfterMs } from '../domain/time/retry-after.ts';
import { ModelError } from './provider.ts';

/** Attempts for errors without a `Retry-After`. */
const TRIES = 4;
/** Attempts in all. */
const MAX_ATTEMPTS = 10;
/** The least time for a call after the pause: a longer `Retry-After` ends the retries. */
const MIN_CALL_MS = 250;
/** No right to the model, no such model, too many requests. */
const MODEL_REFUSALS = new Set([401, 403, 404, 429]);
const TRANSIENT_REASONS = new Set<ModelError['reason']>([
  'no connection',
  'nothing came in time',
  'unreadable answer',
  'unusable answer: empty',
  'unusable answer: cut short',
]);

/** Retries transient errors: after the `Retry-After` of the provider if the time allows it, else with exponential backoff. */
export function makeRetryPolicy(remainingMs: () => number): RetryPolicy {
  let triesWithoutHint = 0;
  const mayRetry = (error: Error): boolean => {
    if (!isTransientError(error)) return false;
    const pauseMs = retryAfterOf(error);
    if (pauseMs === undefined) return ++triesWithoutHint < TRIES;
    return pauseMs + MIN_CALL_MS < remainingMs();
  };
  return retry(handleWhen(mayRetry), {
    maxAttempts: MAX_ATTEMPTS - 1,
    backoff: respectRetryAfter(new ExponentialBackoff({ initialDelay: 200, maxDelay: 3_000 })),
  });
}

/** The model fails at the moment, or with our key, whatever it is asked: another model may answer. */
export function isIndependentOfRequest(error: Error): boolean {
  if (!(error instanceof ModelError)) return false;
  return error.reason === 'no connection' || MODEL_REFUSALS.has(error.status) || error.status >= 500;
}

/** The same request may be answered a moment later. */
export function isTransientError(error: Error): boolean {
  if (!(error instanceof ModelError)) return false;
  return TRANSIENT_REASONS.has(error.reason) || error.status === 429 || error.status >= 500;
}

function retryAfterOf(error: unknown): number | undefined {
  const headers = error instanceof ModelError ? error.headers : undefined;
  return headers && readRetryAfterMs(headers, Date.now());
}

type Context = { readonly result: { readonly error: Error } | { readonly value: unknown } };

/** The pauses of another backoff, but never shorter than the `Retry-After` of the provider. */
function respectRetryAfter(backoff: IBackoffFactory<unknown>): IBackoffFactory<Context> {
  return {
    next(context): IBackoff<Context> {
      const pause = backoff.next(context);
      const requested = 'error' in context.result ? retryAfterOf(context.result.error) : undefined;
      return {
        duration: Math.max(pause.duration, requested ?? 0),
        next: again => respectRetryAfter(pause).next(again),
      };
    },
  };
}
