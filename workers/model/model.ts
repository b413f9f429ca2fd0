import {
  ExponentialBackoff,
  handleWhen,
  type IBackoff,
  type IBackoffFactory,
  isBrokenCircuitError,
  type RetryPolicy,
  retry,
} from 'cockatiel';
import { linkSignals, whenAborted } from '../../platform/link-signals.ts';
import { retryAfterMsOf } from '../domain/time/retry-after.ts';
import { makeBreakers } from './breaker.ts';
import { type CompletionOptions, callModel, type ModelAnswer, type ModelTarget } from './model-call.ts';
import type { ModelDirectory } from './model-directory.ts';
import { type CallOptions, ModelError, type ModelMessage, type Provider } from './provider.ts';
import { LedgerError, type SpendLedger, SpendRefusedError } from './spender.ts';
import { type ModelCall, openTries, type Tries } from './tries.ts';
import { MAX_ANSWER_TOKENS } from './usage-meter.ts';

/*
 * A model that fails is followed by its fallbacks within the same deadline. Each has a third of the remaining time to send the
 * first piece of its answer, and as long from each piece to the next, or two thirds for an answer that is sent as a whole; the
 * last one has all of it. When all have failed, they are asked again after a pause, if one may answer a moment later and the
 * time allows it. A breaker for each model skips one that failed several times in a row. Each host has breakers of its own for
 * each purpose: its requests must not take the model from the others, nor insights from turns. Failures that a single request
 * may cause, such as a late or an unusable answer, do not count. A model beyond the host's budget is followed by the cheapest of
 * the others.
 */

/** Models that are asked, in this order, when the named one fails. */
export type ModelFallbacks = Readonly<Record<string, readonly string[]>>;

export interface ModelParts {
  readonly directory: Pick<ModelDirectory, 'providerOf'> & Partial<Pick<ModelDirectory, 'findInsightModel'>>;
  readonly defaultModel: string | undefined;
  /** The installation's fallbacks for each model. */
  readonly fallbacks?: ModelFallbacks | undefined;
  readonly ledger: SpendLedger;
  readonly traceContents?: boolean | undefined;
  /** Called when a call that was made ends, even if it is aborted. */
  readonly onCall?: (call: ModelCall) => void;
}

export interface Model {
  /**
   * Asks the model, and where it fails its fallbacks, with retries, until a usable answer comes or the signal is aborted.
   * Rejects only when the signal is aborted, but for `GIVEN_UP`, or without the database.
   */
  complete(
    model: string | undefined,
    messages: readonly ModelMessage[],
    options: CompletionOptions,
  ): Promise<ModelOutcome>;
}

export interface ModelOutcome {
  /** Undefined where no model gave a usable answer: the calls tell why. */
  readonly answer: ModelAnswer | undefined;
  /** Every call, including failed ones. */
  readonly calls: readonly ModelCall[];
}

/** The remaining time where the caller does not pass one. */
const DEFAULT_REMAINING_MS = 10_000;
const PATIENCE_FRACTION = 1 / 3;
/** The avatar or the flow names their model. */
const OF_TURNS: readonly CallOptions['purpose'][] = ['turn', 'rewrite'];
/** Insights and words of passages are asked for again later; a turn goes on without its question in other words. */
const ONE_ATTEMPT: readonly CallOptions['purpose'][] = ['insight', 'rewrite', 'enrich'];
/** Attempts for errors without a `Retry-After`. */
const TRIES = 4;
/** Attempts for any error. */
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

export function makeModel({
  directory,
  defaultModel,
  fallbacks = {},
  ledger,
  traceContents = false,
  onCall = () => {},
}: ModelParts): Model {
  const callFirstUsable = makeFallbackCaller();

  const providerOf = (name: string, hostId: string) => directory.providerOf(name, hostId).catch(fail);
  const usualModelOf = async ({ purpose, spender: { hostId } }: CompletionOptions) =>
    OF_TURNS.includes(purpose) ? undefined : directory.findInsightModel?.(hostId).catch(fail);

  async function ask(
    model: string,
    messages: readonly ModelMessage[],
    options: CompletionOptions,
    tries: Tries,
  ) {
    const { purpose } = options;
    const names = namesOf(model, options, fallbacks);
    const found = await Promise.all(
      names.map(async name => ({ model: name, provider: await providerOf(name, options.spender.hostId) })),
    );
    const input = messages.reduce((sum, { content }) => sum + content.length, 0);
    const most = { input, cached: 0, output: MAX_ANSWER_TOKENS };
    const mostOf = (name: string, { isOfHost }: Provider) =>
      isOfHost ? 0 : Number(ledger.costOf(name, most) ?? Infinity);
    const candidates = found.flatMap(({ model: name, provider }) =>
      provider ? { model: name, provider, most: mostOf(name, provider) } : [],
    );
    const remainingMs = options.remainingMs ?? (() => DEFAULT_REMAINING_MS);
    const maxAttempts = ONE_ATTEMPT.includes(purpose) ? 1 : MAX_ATTEMPTS;
    const asking = `${options.spender.hostId} ${purpose}`;
    return makeRetryPolicy(remainingMs, maxAttempts).execute(
      () =>
        callFirstUsable(asking, candidates, remainingMs, target =>
          tries.run(() => callModel(target, messages, options, { ledger, tries, traceContents })),
        ),
      options.signal,
    );
  }

  return {
    async complete(requested, messages, options) {
      // A signal for each call, because the client leaves an abort listener behind on it, and a turn has many calls.
      using linked = linkSignals(options.signal);
      const { signal } = linked;
      const tries = openTries(onCall);
      const { calls } = tries;
      try {
        const model = requested ?? (await usualModelOf(options)) ?? defaultModel;
        if (!model) return { answer: undefined, calls };
        // The pause before a retry ignores the signal, so it is raced against it.
        const asked = ask(model, messages, { ...options, signal }, tries);
        return { answer: await Promise.race([asked, whenAborted(signal)]), calls };
      } catch (error) {
        await tries.failWith(error, signal);
        return { answer: undefined, calls };
      }
    },
  };
}

/** A turn goes on without its question in other words, so no other model is asked for them. */
function namesOf(
  model: string,
  { purpose, fallbacks = [], onlyModels }: CompletionOptions,
  ofInstallation: ModelFallbacks,
): string[] {
  const next = fallbacks.length > 0 ? fallbacks : (ofInstallation[model] ?? []);
  const names = new Set([model, ...(purpose === 'rewrite' ? [] : next)]);
  return [...names].filter(name => onlyModels?.includes(name) ?? true);
}

function fail(cause: unknown): never {
  throw new LedgerError('failed to read the providers of a host', { cause });
}

interface Candidate {
  readonly provider: Provider;
  readonly model: string;
  /** About the most that this request may cost of the budget. */
  readonly most: number;
}

/**
 * Returns a function that calls the candidates in their order until one answers; it rejects with an error of one of them.
 * `asking` is the host and what it asks for.
 */
function makeFallbackCaller() {
  const breakerOf = makeBreakers(isIndependentOfRequest);

  return async (
    asking: string,
    candidates: readonly Candidate[],
    remainingMs: () => number,
    call: (target: ModelTarget) => Promise<ModelAnswer>,
  ): Promise<ModelAnswer | undefined> => {
    let failure: unknown;
    const left = [...candidates];
    const skipped: Candidate[] = [];
    for (let candidate = left.shift(); candidate; candidate = left.shift()) {
      const target = {
        ...candidate,
        patienceMs: left.length === 0 ? undefined : remainingMs() * PATIENCE_FRACTION,
      };
      try {
        return await breakerOf(`${asking} ${target.model}`).execute(() => call(target));
      } catch (error) {
        if (isBrokenCircuitError(error)) {
          skipped.push(candidate);
          continue;
        }
        if (isOverBudget(error)) left.sort(byMost);
        // A called model's failure counts before others, and so does a transient one: the caller retries after it.
        if (failure === undefined || failure instanceof SpendRefusedError || isTransientError(error as Error))
          failure = error;
        if (!mayAskNext(error as Error)) break;
      }
    }
    const [first] = skipped;
    const isNoneCalled = failure === undefined || failure instanceof SpendRefusedError;
    // A call that may fail is better than none.
    if (first && isNoneCalled) return call({ ...first, patienceMs: undefined });
    if (failure !== undefined) throw failure;
    return undefined;
  };
}

/** Infinity minus infinity is NaN, so equal values are compared first. */
function byMost(a: Candidate, b: Candidate): number {
  return a.most === b.most ? 0 : a.most - b.most;
}

/** Another model would refuse a wrong request, too. */
function mayAskNext(error: Error): boolean {
  return (
    isTransientError(error) ||
    isIndependentOfRequest(error) ||
    (error instanceof ModelError && error.reason.startsWith('unusable answer')) ||
    error instanceof SpendRefusedError
  );
}

function isOverBudget(error: unknown): boolean {
  return error instanceof SpendRefusedError && error.refusal.kind === 'over-budget';
}

/** Retries transient errors: after the provider's `Retry-After` if the time allows it, else with exponential backoff. */
export function makeRetryPolicy(remainingMs: () => number, maxAttempts = MAX_ATTEMPTS): RetryPolicy {
  let triesWithoutHint = 0;
  const mayRetry = (error: Error): boolean => {
    if (!isTransientError(error)) return false;
    const pauseMs = retryAfterOf(error);
    if (pauseMs === undefined) return ++triesWithoutHint < TRIES;
    return pauseMs + MIN_CALL_MS < remainingMs();
  };
  return retry(handleWhen(mayRetry), {
    maxAttempts: maxAttempts - 1,
    backoff: respectRetryAfter(new ExponentialBackoff({ initialDelay: 200, maxDelay: 3_000 })),
  });
}

/** The model fails now, or with our key, whatever it is asked: another model may answer. */
function isIndependentOfRequest(error: Error): boolean {
  if (!(error instanceof ModelError)) return false;
  return error.reason === 'no connection' || MODEL_REFUSALS.has(error.status) || error.status >= 500;
}

/** The same request may be answered a moment later. */
function isTransientError(error: Error): boolean {
  if (!(error instanceof ModelError)) return false;
  return TRANSIENT_REASONS.has(error.reason) || error.status === 429 || error.status >= 500;
}

function retryAfterOf(error: unknown): number | undefined {
  const headers = error instanceof ModelError ? error.headers : undefined;
  return headers && retryAfterMsOf(headers, Date.now());
}

type Context = { readonly result: { readonly error: Error } | { readonly value: unknown } };

/** Keeps the pauses of another backoff from being shorter than the provider's `Retry-After`. */
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
