import type { SpendLedger } from './call-account.ts';
import { type Embedder, makeEmbedder } from './embedder.ts';
import type { ModelFallbacks } from './fallbacks.ts';
import { type Model, makeModel } from './model.ts';
import type { ModelCall } from './model-call.ts';
import { type ModelDirectory, makeModelDirectory } from './model-directory.ts';
import { type ProviderSettings, providersOf } from './providers.ts';

/** The list of models, and the clients to call them. */
export interface Models {
  readonly directory: ModelDirectory;
  readonly model: Model;
  /** Undefined without an embedding model. */
  readonly embedder: Embedder | undefined;
}

export interface ModelSettings extends ProviderSettings {
  readonly modelFallbacks?: ModelFallbacks | undefined;
}

export function makeModels(
  settings: ModelSettings,
  { onCall, ledger }: { readonly onCall: (call: ModelCall) => void; readonly ledger: SpendLedger },
  embeddingModel?: string,
): Models {
  const { openaiModel: defaultModel, modelFallbacks: fallbacks } = settings;
  const directory = makeModelDirectory(providersOf(settings), defaultModel);
  return {
    directory,
    model: makeModel({ directory, defaultModel, fallbacks, ledger, onCall }),
    embedder:
      embeddingModel === undefined ? undefined : makeEmbedder(embeddingModel, directory, onCall, ledger),
  };
}
