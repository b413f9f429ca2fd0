import {
  ExponentialBackoff,
  handleWhen,
  type IBackoff,
  type IBackoffFactory,
  type RetryPolicy,
  retry,
} from 'cockatiel';
import { APIConnectionError, APIError } from 'openai';
import { retryAfterMs } from '../domain/retry-after.ts';
import { UnusableAnswer } from './completion.ts';

/** How often a provider is asked that does not say when to come back. */
const TRIES = 4;
/** And one that does. */
const MOST_TRIES = 10;
/** A provider that asks for more than what would be left of the time, less this, is not waited for. */
const LEAST_CALL_MS = 250;

/** Asks again after an error that may pass: when the provider says, if there is time for it, or else ever more rarely. */
export function makeRetryPolicy(remainingMs: () => number): RetryPolicy {
  let untold = 0;
  const isWorthAnother = (error: Error): boolean => {
    if (!isPassing(error)) return false;
    const pauseMs = toldPauseOf(error);
    if (pauseMs === undefined) return ++untold < TRIES;
    return pauseMs + LEAST_CALL_MS < remainingMs();
  };
  return retry(handleWhen(isWorthAnother), {
    maxAttempts: MOST_TRIES - 1,
    backoff: asTold(new ExponentialBackoff({ initialDelay: 200, maxDelay: 3_000 })),
  });
}

function isPassing(error: Error): boolean {
  return (
    error instanceof APIConnectionError ||
    (error instanceof APIError && (error.status === 429 || (error.status ?? 0) >= 500)) ||
    error instanceof SyntaxError ||
    (error instanceof UnusableAnswer && (error.reason === 'empty' || error.reason === 'cut short'))
  );
}

function toldPauseOf(error: unknown): number | undefined {
  const headers = error instanceof APIError ? error.headers : undefined;
  return headers && retryAfterMs(headers, Date.now());
}

type Context = { readonly result: { readonly error: Error } | { readonly value: unknown } };

/** The pauses of another back-off, but never shorter than the provider asks for. */
function asTold(untold: IBackoffFactory<unknown>): IBackoffFactory<Context> {
  return {
    next(context): IBackoff<Context> {
      const pause = untold.next(context);
      const told = 'error' in context.result ? toldPauseOf(context.result.error) : undefined;
      return { duration: Math.max(pause.duration, told ?? 0), next: again => asTold(pause).next(again) };
    },
  };
}
