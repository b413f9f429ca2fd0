import { whenAborted } from '../../platform/when-aborted.ts';
import { LedgerError, type SpendLedger } from './call-account.ts';
import { listCandidates, type ModelFallbacks, makeFallbackCaller } from './fallbacks.ts';
import { type CompletionOptions, callModel, type ModelAnswer, type ModelCall } from './model-call.ts';
import type { ModelDirectory } from './model-directory.ts';
import type { ModelMessage } from './provider.ts';
import { makeRetryPolicy } from './retry-policy.ts';

export interface ModelParts {
  readonly directory: Pick<ModelDirectory, 'providerOf'>;
  readonly defaultModel: string | undefined;
  /** Those of the installation, by model. */
  readonly fallbacks?: ModelFallbacks | undefined;
  readonly ledger: SpendLedger;
  /** Called for every call when it ends, also when it is aborted. */
  readonly onCall?: (call: ModelCall) => void;
}

export interface Model {
  /**
   * Asks the model, and where it fails its fallbacks, with retries, until a usable answer comes or the signal is aborted.
   * Every call is pushed to `calls`, the failed ones too. Resolves with undefined without a usable answer, which the
   * `refusal` of the spender may explain; rejects only when the signal is aborted, or without the database.
   */
  complete(
    model: string | undefined,
    messages: readonly ModelMessage[],
    options: CompletionOptions,
  ): Promise<ModelAnswer | undefined>;
}

/** The remaining time where the caller does not pass one. */
const DEFAULT_REMAINING_MS = 10_000;

export function makeModel({
  directory,
  defaultModel,
  fallbacks = {},
  ledger,
  onCall = () => {},
}: ModelParts): Model {
  const callFirstUsable = makeFallbackCaller();

  async function ask(model: string, messages: readonly ModelMessage[], options: CompletionOptions) {
    const names = listCandidates(model, options.fallbacks?.length ? options.fallbacks : fallbacks[model]);
    const found = await Promise.all(
      names.map(async name => ({ model: name, provider: await directory.providerOf(name) })),
    );
    const candidates = found.flatMap(({ model: name, provider }) =>
      provider ? { model: name, provider, price: ledger.priceOf(name) } : [],
    );
    const remainingMs = options.remainingMs ?? (() => DEFAULT_REMAINING_MS);
    return makeRetryPolicy(remainingMs).execute(
      () =>
        callFirstUsable(options.spender.hostId, candidates, remainingMs, target =>
          callModel(target, messages, options, { ledger, onCall }),
        ),
      options.signal,
    );
  }

  return {
    async complete(requested, messages, options) {
      // A signal of its own: the client leaves an abort listener behind with each call, and a turn has many.
      const signal = AbortSignal.any([options.signal]);
      const model = requested ?? defaultModel;
      if (!model) return undefined;
      try {
        // The pause before a retry ignores the signal, so it is raced against it.
        return await Promise.race([ask(model, messages, { ...options, signal }), whenAborted(signal)]);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof LedgerError) throw error.cause;
        if (error instanceof Error) return undefined;
        throw error;
      }
    },
  };
}
