import { type Embedder, makeEmbedder } from './embedder.ts';
import { type Model, type ModelCall, makeModel } from './model.ts';
import { type ModelDirectory, makeModelDirectory } from './model-directory.ts';
import { type ProviderSettings, providersOf } from './providers.ts';

/** The list of models, and the clients to call them. */
export interface Models {
  readonly directory: ModelDirectory;
  readonly model: Model;
  /** Undefined without an embedding model. */
  readonly embedder: Embedder | undefined;
}

export function makeModels(
  settings: ProviderSettings,
  onCall: (call: ModelCall) => void,
  embeddingModel?: string,
): Models {
  const { openaiModel: defaultModel } = settings;
  const directory = makeModelDirectory(providersOf(settings), defaultModel);
  return {
    directory,
    model: makeModel({ directory, defaultModel, onCall }),
    embedder: embeddingModel === undefined ? undefined : makeEmbedder(embeddingModel, directory, onCall),
  };
}
