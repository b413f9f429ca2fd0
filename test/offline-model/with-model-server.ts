import { once } from 'node:events';
import OpenAI from 'openai';
import { makeModelServer } from '../../offline-model/server.ts';

export interface RunningModel {
  readonly url: string;
  readonly client: OpenAI;
  /** of a service that asks it */
  readonly settings: { readonly openaiBaseUrl: string; readonly openaiModel: string };
}

export async function startModelServer(): Promise<RunningModel & { close(): void }> {
  const server = makeModelServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const url = `http://127.0.0.1:${address.port}`;
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  const settings = { openaiBaseUrl: `${url}/v1`, openaiModel: 'offline-extractive' };
  return { url, client, settings, close };
}

export async function withModelServer(use: (model: RunningModel) => Promise<void>): Promise<void> {
  const { close, ...model } = await startModelServer();
  try {
    await use(model);
  } finally {
    close();
  }
}
