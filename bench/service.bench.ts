import { type ScriptedModel, startScriptedModel } from '../test/support/scripted-model.ts';
import { SECRET_KEY, seedDemo, startDatabase } from './database.bench.ts';
import { type Fork, forkReady, startRedis, stopFork } from './stores.bench.ts';

export interface ServiceOfBench extends Awaited<ReturnType<typeof seedDemo>> {
  readonly db: Awaited<ReturnType<typeof startDatabase>>['db'];
  /** Undefined: the queues are in PostgreSQL. */
  readonly redisUrl: string | undefined;
  readonly model: ScriptedModel;
  readonly api: Fork;
  /** The running workers. */
  readonly workers: Fork[];
  startWorker(): Promise<Fork>;
  addressOf(operation: string): string;
  readonly headers: Readonly<Record<string, string>>;
  call(operation: string, body: object): Promise<{ status: number; data: Record<string, unknown> }>;
  newConversation(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts one `web` and two workers with a scripted model, each a process, on a new store. */
export async function startServiceOfBench(
  store: string,
  workerArgs: readonly string[] = [],
): Promise<ServiceOfBench> {
  const model = await startScriptedModel();
  const redis = store === 'redis' ? await startRedis() : undefined;
  const { db, ...database } = await startDatabase({ max: 4 });
  const demo = await seedDemo(db);
  const redisUrl = redis?.redisUrl;
  const parts = [redisUrl ?? '', database.url, SECRET_KEY];
  const api = await forkReady('http-api', parts);
  const { port } = api.said as { port: number };
  const startWorker = () => forkReady('http-worker', [...parts, model.baseURL, ...workerArgs]);
  const workers = [await startWorker(), await startWorker()];
  const addressOf = (operation: string) => `http://127.0.0.1:${port}/api/externalAPIs/public/${operation}`;
  const headers = { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' };
  const call: ServiceOfBench['call'] = async (operation, body) => {
    const response = await fetch(addressOf(operation), {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const { data = {} } = (await response.json()) as { data?: Record<string, unknown> };
    return { status: response.status, data };
  };
  const newConversation = async () => {
    const { data } = await call('createConversationId', { hostId: demo.hostId, hostSlug: 'demo' });
    return data['conversationId'] as string;
  };
  const stop = async () => {
    await stopFork(api);
    await Promise.all(workers.map(stopFork));
    await redis?.stop();
    await database.stop();
    await model.close();
  };
  return {
    ...demo,
    redisUrl,
    db,
    model,
    api,
    workers,
    startWorker,
    addressOf,
    headers,
    call,
    newConversation,
    stop,
  };
}
