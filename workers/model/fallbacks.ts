import { handleWhen, isBrokenCircuitError } from 'cockatiel';
import { makeBreakers } from './breaker.ts';
import type { ModelAnswer, ModelTarget } from './model-call.ts';
import { ModelError } from './provider.ts';
import { isIndependentOfRequest, isTransientError } from './retry-policy.ts';
import { SpendRefusedError } from './spender.ts';

/*
 * A model that fails is followed by its fallbacks within the same deadline. Each has a third of the time that is left to
 * send the first piece of its answer, and as long from each piece to the next, or two thirds for an answer that is sent as a
 * whole; the last one has all of it. A breaker for
 * each model skips one that failed several times in a row. Each host has breakers of its own: what one sends must not take
 * the model from the others. What a single request may cause, such as a late or an unusable answer, does not count. A
 * model that the budget of the host does not allow is followed by the cheapest of the others.
 */

/** By model, the models that are asked when it fails, in their order. */
export type ModelFallbacks = Readonly<Record<string, readonly string[]>>;

type Candidate = Pick<ModelTarget, 'provider' | 'model'> & { readonly price: number | undefined };

const PATIENCE_FRACTION = 1 / 3;

/** The model and its fallbacks, each once. */
export function listCandidates(model: string, fallbacks: readonly string[] = []): string[] {
  return [...new Set([model, ...fallbacks])];
}

/** Returns a function that calls the candidates in their order until one answers; it rejects with an error of one of them. */
export function makeFallbackCaller() {
  const breakerOf = makeBreakers(handleWhen(isIndependentOfRequest));

  return async (
    hostId: string,
    candidates: readonly Candidate[],
    remainingMs: () => number,
    call: (target: ModelTarget) => Promise<ModelAnswer>,
  ): Promise<ModelAnswer | undefined> => {
    let failure: unknown;
    const left = [...candidates];
    for (let candidate = left.shift(); candidate; candidate = left.shift()) {
      const target = {
        ...candidate,
        patienceMs: left.length === 0 ? undefined : remainingMs() * PATIENCE_FRACTION,
      };
      try {
        return await breakerOf(`${hostId} ${target.model}`).execute(() => call(target));
      } catch (error) {
        if (isBrokenCircuitError(error)) continue;
        if (isOverBudget(error)) left.sort((a, b) => (a.price ?? Infinity) - (b.price ?? Infinity));
        // Of several errors the transient one counts: the caller retries after it.
        if (failure === undefined || isTransientError(error as Error)) failure = error;
        if (!mayAskNext(error as Error)) break;
      }
    }
    if (failure !== undefined) throw failure;
    const [first] = candidates;
    // All of them are skipped: a call that may fail is better than none.
    return first && call({ ...first, patienceMs: undefined });
  };
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
