import OpenAI from 'openai';
import { UnusableAnswerError } from './completion.ts';
import type { Provider } from './providers.ts';

const MAX_RESPONSE_BYTES = 4 * 1_048_576;

/**
 * A client without retries, because those of the library ignore our deadline, and with a limit on the response size.
 * It logs nothing, whatever OPENAI_LOG says: a log line would contain the prompt.
 */
export function clientOf({ baseURL, apiKey }: Pick<Provider, 'baseURL' | 'apiKey'>): OpenAI {
  return new OpenAI({
    baseURL,
    apiKey: apiKey ?? 'none',
    maxRetries: 0,
    logLevel: 'off',
    fetch: fetchCapped,
  });
}

/** Returns one client for each provider and reuses its connections. */
export function makeClients(): (provider: Provider) => OpenAI {
  const clients = new Map<string, OpenAI>();
  return provider => {
    const client = clients.get(provider.name) ?? clientOf(provider);
    clients.set(provider.name, client);
    return client;
  };
}

async function fetchCapped(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  return response.body ? new Response(ReadableStream.from(capBody(response.body)), response) : response;
}

/** For a connection lost after the headers, `fetch` throws a TypeError like that of any bug, so it is translated here. */
async function* capBody(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > MAX_RESPONSE_BYTES) throw new UnusableAnswerError('too large');
      yield chunk;
    }
  } catch (error) {
    throw error instanceof UnusableAnswerError ? error : new UnusableAnswerError('cut short');
  }
}
