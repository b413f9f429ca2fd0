import { type Embedder, makeEmbedder } from './embedder.ts';
import { type Model, type ModelFallbacks, makeModel } from './model.ts';
import type { ModelCall } from './model-call.ts';
import { type ModelDirectory, makeModelDirectory } from './model-directory.ts';
import { makeOpenAiProvider, type OpenAiSettings } from './openai.ts';
import type { Provider } from './provider.ts';
import type { SpendLedger } from './spender.ts';

export const OFFLINE_MODEL = 'offline-extractive';

/** The list of models, and the clients to call them. */
export interface Models {
  readonly directory: ModelDirectory;
  readonly model: Model;
  /** Undefined without an embedding model. */
  readonly embedder: Embedder | undefined;
}

export interface ModelSettings {
  readonly openaiBaseUrl?: string | undefined;
  readonly openaiApiKey?: string | undefined;
  readonly openaiModel?: string | undefined;
  readonly llmProviders?: Readonly<Record<string, OpenAiSettings>> | undefined;
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

/** The main provider comes first: of several with the same model, the first is used. */
export function providersOf({
  openaiBaseUrl: baseURL,
  openaiApiKey: apiKey,
  openaiModel,
  llmProviders = {},
}: ModelSettings): Provider[] {
  const others = Object.entries(llmProviders).map(([name, settings]) => makeOpenAiProvider(name, settings));
  if (!baseURL && !apiKey) return others;
  const name = openaiModel === OFFLINE_MODEL ? 'offline' : 'openai';
  const mainName = Object.hasOwn(llmProviders, name) ? 'main' : name;
  return [makeOpenAiProvider(mainName, { baseURL, apiKey }), ...others];
}
