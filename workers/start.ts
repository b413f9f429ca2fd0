import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { migrateVectors } from '../db/vectors/migrate-vectors.ts';
import { makeSeal } from '../platform/seal.ts';
import { SettingError } from '../platform/setting-error.ts';
import { type QueueName, queueNames } from '../queues/contract/operation.ts';
import { openBackend } from '../queues/transport/backend.ts';
import { followCancellations } from '../queues/transport/cancellations.ts';
import { type Consumer, type JobRun, makeConsumer } from '../queues/transport/consumer.ts';
import { registerProcessInfo } from '../queues/transport/process-info.ts';
import { type BackgroundSettings, startBackground } from './background.ts';
import { type HandlerSettings, makeHandlers } from './handlers.ts';
import { makeModels } from './model/models.ts';
import type { ProviderSettings } from './model/providers.ts';
import { makeAnswerer } from './runtime/answer.ts';
import { loadCountTokens } from './runtime/count-tokens.ts';
import { followIndexLag, type ModelPrices, makeWorkerMetrics, publishMetrics } from './runtime/metrics.ts';
import { makeOutageLogs } from './runtime/outage-logs.ts';
import { openPools } from './runtime/pools.ts';
import { traced } from './runtime/traced.ts';

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
  demandModel(settings);
  const pools = await openPools(settings, log);
  const db = pools.rest;
  const queues = servedQueues(settings);
  const outages = makeOutageLogs(log);
  const notes = jobNotes(log);
  const onError = outages.store.noteFailure;
  const listeners = { onError, onSuccess: outages.store.noteSuccess, onLockLost: notes.onLockLost };
  const backend = await openBackend({ redisUrl, databaseUrl, ...listeners });
  const name = `worker-${hostname()}-${process.pid}`;
  const metrics = makeWorkerMetrics(name, settings.modelPrices, err =>
    log.warn({ event: 'metrics.count_failed', err }, 'failed to count a figure'),
  );
  const embeddingModel = await usableEmbeddingModel(db, settings, log);
  const seal = makeSeal(settings.secretKey);
  registerProcessInfo(metrics.registry, { kind: 'worker', queues, key: seal.fingerprint });
  const hearCalls = [metrics.onModelCall, outages.onModelCall];
  const models = makeModels(settings, call => hearCalls.forEach(hear => hear(call)), embeddingModel);
  const { onToolRun } = metrics;
  const { handlers, close: closeHandlers } = makeHandlers({ pools, log, onToolRun, ...models }, settings);
  followIndexLag(db, metrics);
  const published = await publishMetrics(db, name, metrics.registry, outages.database);
  const options = {
    backend,
    seal,
    concurrency: workerConcurrency,
    ...traced(metrics.counted(makeAnswerer(db, handlers, outages.database, pools.turns))),
    onError,
    ...notes,
  };
  // Loading it stops the event loop for a quarter of a second: before there is work.
  if (queues.includes('catalog')) await loadCountTokens();
  const consumers = await Promise.all(queues.map(queue => makeConsumer({ ...options, queue })));
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

/** What is told of single jobs. */
function jobNotes(log: Logger) {
  let isKeyTold = false;
  return {
    onLockLost: ({ message: reason }: Error) =>
      log.warn({ event: 'job.lock_lost', reason }, 'the lock of a job was lost'),
    /** Once: while the keys differ it is so with every job. */
    onUnreadable({ message: reason }: Error, jobId: string) {
      if (isKeyTold) return;
      isKeyTold = true;
      const remedy = 'give web and worker the same SECRET_KEY, and restart them';
      const line = { event: 'job.unreadable', reason, jobId, remedy };
      log.error(line, 'a job cannot be opened: it was sealed with another SECRET_KEY');
    },
    onBug: (
      err: unknown,
      { requestId, jobId, operation }: Pick<JobRun, 'requestId' | 'jobId' | 'operation'>,
    ) => log.error({ err, requestId, jobId, operation }, 'a handler met a bug'),
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

/** Every assistant that names no model of its own would refuse every question. */
function demandModel({ openaiApiKey, openaiBaseUrl, openaiModel }: WorkerSettings): void {
  if ((openaiApiKey || openaiBaseUrl) && !openaiModel)
    throw new SettingError('setting "OPENAI_MODEL" is required with OPENAI_API_KEY or OPENAI_BASE_URL');
}

function servedQueues({ workerQueues }: WorkerSettings): QueueName[] {
  const unknown = workerQueues.find(name => !queueNames.includes(name as QueueName));
  if (unknown !== undefined) throw new SettingError(`WORKER_QUEUES: there is no queue "${unknown}"`);
  return workerQueues.length > 0 ? (workerQueues as QueueName[]) : [...queueNames];
}
