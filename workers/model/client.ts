import OpenAI from 'openai';
import { UnusableAnswer } from './completion.ts';
import type { Provider } from './providers.ts';

const LARGEST_RESPONSE = 4 * 1_048_576;

/**
 * Tries once and reads so much: the library's own retries know nothing of our deadline. It prints nothing, whatever
 * OPENAI_LOG asks for: that would be the prompt.
 */
export function clientOf({ baseURL, apiKey }: Pick<Provider, 'baseURL' | 'apiKey'>): OpenAI {
  return new OpenAI({
    baseURL,
    apiKey: apiKey ?? 'none',
    maxRetries: 0,
    logLevel: 'off',
    fetch: cappedFetch,
  });
}

/** One client a provider, kept with its connections. */
export function makeClients(): (provider: Provider) => OpenAI {
  const clients = new Map<string, OpenAI>();
  return provider => {
    const client = clients.get(provider.name) ?? clientOf(provider);
    clients.set(provider.name, client);
    return client;
  };
}

/** Rejects when the signal does, for what does not end with it. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
}

async function cappedFetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  return response.body ? new Response(ReadableStream.from(capped(response.body)), response) : response;
}

/** What `fetch` says of a connection that is lost behind the headers is a TypeError, like any bug. */
async function* capped(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > LARGEST_RESPONSE) throw new UnusableAnswer('too large');
      yield chunk;
    }
  } catch (error) {
    throw error instanceof UnusableAnswer ? error : new UnusableAnswer('cut short');
  }
}
