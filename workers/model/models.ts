import { type Embedder, makeEmbedder } from './embedder.ts';
import type { HostProviders } from './host-providers.ts';
import { type Model, type ModelFallbacks, makeModel } from './model.ts';
import { type ModelDirectory, makeModelDirectory } from './model-directory.ts';
import { makeOpenAiProvider, type OpenAiSettings } from './openai.ts';
import type { Provider } from './provider.ts';
import type { SpendLedger } from './spender.ts';
import { makeTranscriber, type TranscriberOf } from './transcriber.ts';
import type { ModelCall } from './tries.ts';

export const OFFLINE_MODEL = 'offline-extractive';

export interface Models {
  readonly directory: ModelDirectory;
  readonly model: Model;
  /** Undefined without an embedding model. */
  readonly embedder: Embedder | undefined;
  readonly transcriberOf: TranscriberOf;
}

export interface ModelSettings {
  readonly openaiBaseUrl?: string | undefined;
  readonly openaiApiKey?: string | undefined;
  readonly openaiModel?: string | undefined;
  readonly llmProviders?: Readonly<Record<string, OpenAiSettings>> | undefined;
  readonly modelFallbacks?: ModelFallbacks | undefined;
  /** The models that read pictures. */
  readonly visionModels?: readonly string[] | undefined;
  /** Undefined where the operator has named none. */
  readonly pricesCurrency?: string | undefined;
  readonly transcriptionModel?: string | undefined;
  /** Unset, speech goes to the model's address with its key. */
  readonly transcriptionBaseUrl?: string | undefined;
  readonly transcriptionApiKey?: string | undefined;
  /** Whether traces contain prompts and answers. */
  readonly traceContents?: boolean | undefined;
}

interface ModelListeners {
  readonly onCall: (call: ModelCall) => void;
  readonly ledger: SpendLedger;
  readonly hostProviders?: HostProviders | undefined;
}

export function makeModels(
  settings: ModelSettings,
  { onCall, ledger, hostProviders }: ModelListeners,
  embeddingModel?: string,
): Models {
  const { openaiModel: defaultModel, modelFallbacks: fallbacks, traceContents } = settings;
  const directory = makeModelDirectory(providersOf(settings), defaultModel, undefined, hostProviders);
  return {
    directory,
    model: makeModel({ directory, defaultModel, fallbacks, ledger, traceContents, onCall }),
    embedder:
      embeddingModel === undefined ? undefined : makeEmbedder(embeddingModel, directory, onCall, ledger),
    transcriberOf: makeTranscriberOf(settings, { onCall, ledger, hostProviders }),
  };
}

function makeTranscriberOf(
  settings: ModelSettings,
  { hostProviders, ...parts }: ModelListeners,
): TranscriberOf {
  const { transcriptionModel, openaiBaseUrl, openaiApiKey } = settings;
  const { transcriptionBaseUrl: baseURL = openaiBaseUrl, transcriptionApiKey: apiKey = openaiApiKey } =
    settings;
  const ofInstallation =
    transcriptionModel === undefined
      ? undefined
      : makeTranscriber(transcriptionModel, makeOpenAiProvider('transcription', { baseURL, apiKey }), parts);
  return async hostId => {
    const own = await hostProviders?.findTranscriber(hostId);
    return own ? makeTranscriber(own.model, own.provider, parts) : ofInstallation;
  };
}

/** Returns the main provider first: of several with the same model, the first is used. */
function providersOf({
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
