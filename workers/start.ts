import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { migrateVectors } from '../db/vectors/migrate-vectors.ts';
import { openBackend } from '../queues/backend.ts';
import { followCancellations } from '../queues/cancellations.ts';
import { type Consumer, makeConsumer } from '../queues/consumer.ts';
import { type QueueName, queueNames } from '../queues/operation.ts';
import { makeSeal } from '../queues/seal.ts';
import { makeAnswerer } from './answer.ts';
import { type BackgroundSettings, startBackground } from './background.ts';
import { type HandlerSettings, makeHandlers } from './handlers.ts';
import { followIndexLag, type ModelPrices, makeWorkerMetrics, publishMetrics } from './metrics.ts';
import { makeModels } from './model/models.ts';
import type { ProviderSettings } from './model/providers.ts';
import { openPools } from './pools.ts';
import { traced } from './traced.ts';

export interface WorkerSettings extends HandlerSettings, ProviderSettings, BackgroundSettings {
  readonly redisUrl?: string | undefined;
  /** Undefined: knowledge is found by its words alone. */
  readonly openaiEmbeddingModel?: string | undefined;
  readonly secretKey: string;
  readonly workerConcurrency: number;
  /** Names of the queues to serve; empty means all. */
  readonly workerQueues: readonly string[];
  readonly modelPrices?: ModelPrices | undefined;
}

export interface Workers {
  /** Takes no more jobs, gives those under way `graceMs`, then lets go of everything. */
  close(graceMs?: number): Promise<void>;
}

export async function startWorkers(settings: WorkerSettings, log: Logger): Promise<Workers> {
  const { databaseUrl, redisUrl, workerConcurrency } = settings;
  const pools = await openPools(settings, log);
  const db = pools.rest;
  const onError = (error: Error) => log.warn({ err: error }, 'the queue store cannot be reached');
  const backend = await openBackend({ redisUrl, databaseUrl, onError });
  const name = `worker-${hostname()}-${process.pid}`;
  const metrics = makeWorkerMetrics(name, settings.modelPrices, err =>
    log.warn({ event: 'metrics.count_failed', err }, 'failed to count a figure'),
  );
  const embeddingModel = await usableEmbeddingModel(db, settings, log);
  const models = makeModels(settings, metrics.onModelCall, embeddingModel);
  const { onToolRun } = metrics;
  const { handlers, close: closeHandlers } = makeHandlers({ pools, log, onToolRun, ...models }, settings);
  followIndexLag(db, metrics);
  const published = publishMetrics(db, name, metrics.registry, error =>
    log.warn({ err: error }, 'the figures of this process were not published'),
  );
  const options = {
    backend,
    seal: makeSeal(settings.secretKey),
    concurrency: workerConcurrency,
    ...traced(metrics.counted(makeAnswerer(db, handlers, log, pools.turns))),
    onError,
    onBug: (
      error: unknown,
      { requestId, jobId, operation }: { requestId: string; jobId: string; operation: string },
    ) => log.error({ err: error, requestId, jobId, operation }, 'a handler met a bug'),
  };
  const consumers = await Promise.all(
    servedQueues(settings).map(queue => makeConsumer({ ...options, queue })),
  );
  const cancellations = await followCancellations(backend, consumers);
  const background = startBackground({ db, log, ...models }, settings);
  log.info({ queue: backend.kind, concurrency: workerConcurrency }, 'workers are at work');
  return {
    async close(graceMs = 0) {
      const ending = consumers.map((consumer: Consumer) => consumer.close(graceMs));
      await Promise.all([background.close(), ...ending]);
      await cancellations.close();
      await closeHandlers();
      await published.close();
      await backend.close();
      await pools.close();
    },
  };
}

/** None where the database cannot keep vectors. */
async function usableEmbeddingModel(
  db: Db,
  { openaiEmbeddingModel: model }: WorkerSettings,
  log: Logger,
): Promise<string | undefined> {
  if (model === undefined) return undefined;
  const reason = await migrateVectors(db).catch((error: Error) => error.message);
  if (reason === undefined) return model;
  log.warn({ reason }, 'OPENAI_EMBEDDING_MODEL is not used: knowledge is found by its words alone');
  return undefined;
}

function servedQueues({ workerQueues }: WorkerSettings): QueueName[] {
  const unknown = workerQueues.find(name => !queueNames.includes(name as QueueName));
  if (unknown !== undefined) throw new Error(`WORKER_QUEUES: there is no queue "${unknown}"`);
  return workerQueues.length > 0 ? (workerQueues as QueueName[]) : [...queueNames];
}
