import { makeOpenAiProvider } from './openai.ts';
import type { Provider } from './provider.ts';

export interface ProviderSettings {
  readonly openaiBaseUrl?: string | undefined;
  readonly openaiApiKey?: string | undefined;
  readonly openaiModel?: string | undefined;
  readonly llmProviders?: Readonly<Record<string, NamedProvider>> | undefined;
}

interface NamedProvider {
  readonly baseURL: string;
  readonly apiKey?: string | undefined;
  readonly models?: readonly string[] | undefined;
}

export const OFFLINE_MODEL = 'offline-extractive';

/** The main provider comes first: of several with the same model, the first is used. */
export function providersOf(settings: ProviderSettings): Provider[] {
  const { openaiBaseUrl, openaiApiKey, llmProviders = {} } = settings;
  const others = Object.entries(llmProviders).map(([name, provider]) =>
    makeOpenAiProvider({ name, ...provider }),
  );
  if (!openaiBaseUrl && !openaiApiKey) return others;
  const name = mainNameOf(settings);
  return [makeOpenAiProvider({ name, baseURL: openaiBaseUrl, apiKey: openaiApiKey }), ...others];
}

function mainNameOf({ openaiModel, llmProviders = {} }: ProviderSettings): string {
  const name = openaiModel === OFFLINE_MODEL ? 'offline' : 'openai';
  return Object.hasOwn(llmProviders, name) ? 'main' : name;
}
