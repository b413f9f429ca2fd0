import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { migrateVectors } from '../db/vectors/migrate-vectors.ts';
import { SettingError } from '../platform/field-error.ts';
import { makeObjectStore, type ObjectStoreSettings } from '../platform/object-store.ts';
import { makeFileStoreOutageLog } from '../platform/outage-log.ts';
import { registerProcessInfo } from '../platform/process-info.ts';
import { makeSeal } from '../platform/seal.ts';
import { WORK_ENDS_WITHIN_MS } from '../platform/shutdown-limits.ts';
import { type KeepOpened, startWithAttempts } from '../platform/start-attempts.ts';
import {
  type OwnQueueName,
  type QueueName,
  queueNames,
  queues as queueTable,
} from '../queues/contract/queues.ts';
import { openBackend } from '../queues/transport/backend.ts';
import { followCancellations } from '../queues/transport/cancellations.ts';
import { type Consumer, type ConsumerOptions, type Job, makeConsumer } from '../queues/transport/consumer.ts';
import { registerWorkerSlots } from '../queues/transport/worker-load.ts';
import { type BackgroundSettings, startBackground } from './background.ts';
import { type DeliverySettings, startDeliveries } from './events/start-deliveries.ts';
import { makeHandlers } from './handlers.ts';
import { type DocumentSettings, startDocuments } from './knowledge/start-documents.ts';
import { followIndexLag, makeWorkerMetrics } from './metrics.ts';
import { loadCountTokens } from './model/count-tokens.ts';
import { openHostProviders } from './model/host-providers.ts';
import type { ModelDirectory } from './model/model-directory.ts';
import { type ModelSettings, type Models, makeModels, OFFLINE_MODEL } from './model/models.ts';
import { type ModelPrices, tokenPricesOf } from './model/prices.ts';
import { makeSpendLedger } from './model/spend-ledger.ts';
import type { ModelCall } from './model/tries.ts';
import { makeOutageLogs } from './outage-logs.ts';
import { shareHeavyWork } from './runtime/host-gate.ts';
import { makeJobHandler } from './runtime/job-handler.ts';
import type { OwnQueue, OwnQueueParts } from './runtime/own-queue.ts';
import { openPools } from './runtime/pools.ts';
import { publishMetrics } from './runtime/publish-metrics.ts';
import { traceJobs } from './runtime/trace-jobs.ts';
import { type McpSettings } from './tools/mcp/mcp.ts';

export interface WorkerSettings
  extends McpSettings,
    ModelSettings,
    BackgroundSettings,
    DeliverySettings,
    DocumentSettings,
    ObjectStoreSettings {
  readonly appEnv?: string | undefined;
  readonly redisUrl?: string | undefined;
  /** Undefined: knowledge is searched by words only. */
  readonly openaiEmbeddingModel?: string | undefined;
  readonly workerConcurrency: number;
  /** Names of the queues to serve; empty means all. */
  readonly workerQueues: readonly string[];
  readonly modelPrices?: ModelPrices | undefined;
}

export interface Workers {
  /** Takes no more jobs, waits up to `graceMs` for running ones, then closes every connection. */
  close(graceMs?: number): Promise<void>;
}

export async function startWorkers(settings: WorkerSettings, log: Logger): Promise<Workers> {
  const queues = servedQueues(settings);
  warnIfNoModel(settings, log);
  warnIfOpen(settings, log);
  return startWithAttempts(log, (keep, closeKept) => startOnce(settings, queues, { log, keep, closeKept }));
}

interface OnceParts {
  readonly log: Logger;
  readonly keep: KeepOpened;
  closeKept(): Promise<void>;
}

async function startOnce(
  settings: WorkerSettings,
  queues: readonly QueueName[],
  { log, keep, closeKept }: OnceParts,
): Promise<Workers> {
  const { databaseUrl, redisUrl, workerConcurrency: concurrency, modelPrices: prices = {} } = settings;
  const pools = keep(await openPools(settings, log));
  const { owner, hosts } = pools;
  const outages = makeOutageLogs(log);
  const { onTaskFailed } = outages;
  const jobLog = makeJobLog(log);
  const { noteFailure: onError, noteSuccess: onSuccess } = outages.store;
  const backend = keep(await openBackend({ redisUrl, databaseUrl, onError, onSuccess, ...jobLog }));
  const name = `worker-${hostname()}-${process.pid}`;
  const metrics = makeMetrics(name, settings, log);
  const embeddingModel = await checkEmbeddingModel(owner, settings, log);
  const [seal, objects] = [makeSeal(settings), makeObjectStore(settings, makeFileStoreOutageLog(log))];
  registerProcessInfo(metrics.registry, { kind: 'worker', queues, ...seal.fingerprints });
  registerWorkerSlots(metrics.registry, queues, queue => slotsOf(queue, settings));
  const ledger = keep(makeSpendLedger({ db: pools.spend, prices, onTaskFailed }));
  const hostProviders = keep(openHostProviders(pools.spend, settings));
  const onCall = callAll([metrics.onModelCall, outages.onModelCall]);
  const models = makeModels(settings, { onCall, ledger, hostProviders }, embeddingModel);
  await checkModelNames(models.directory, settings);
  const { handlers, close: closeHandlers } = makeHandlers(
    { pools, databaseUrl, log, objects, metrics, onTaskFailed, ...models },
    settings,
  );
  keep({ close: closeHandlers });
  followIndexLag(owner, metrics);
  const parts = { backend, seal, registry: metrics.registry, onTaskFailed };
  const ownQueues = startOwnQueues(queues, { ...parts, ...models }, settings);
  for (const { stop, close } of ownQueues.values()) keep({ close: () => stop().then(close) });
  const ofOperations = shareHeavyWork(makeJobHandler(hosts, handlers, outages.database, pools));
  const shared = { backend, seal, onError, ...jobLog };
  const consumers = await startConsumers(queues, keep, queue => ({
    ...shared,
    queue,
    concurrency: slotsOf(queue, settings),
    ...traceJobs(metrics.countJobs(ownQueues.get(queue)?.handler ?? ofOperations)),
  }));
  keep(await followCancellations(backend, consumers));
  // Others count on this worker once it is published, so everything that its settings name was checked before.
  keep(await publishMetrics(owner, name, metrics.registry, outages.database));
  const background = startBackground(
    { pools, log, objects, onTaskFailed, onGap: metrics.onGap, ...models },
    settings,
  );
  log.info({ event: 'worker.started', queueStore: backend.kind, concurrency }, 'worker started');
  return {
    async close(graceMs = 0) {
      const stopped = consumers.map(consumer => consumer.close(graceMs));
      await Promise.all([
        ...[...ownQueues.values()].map(({ stop }) => stop()),
        background.close(),
        ...stopped,
      ]);
      await closeKept();
    },
  };
}

/** Starts the queues to which the workers add jobs themselves. */
const ownStarts = { deliveries: startDeliveries, documents: startDocuments } satisfies Record<
  OwnQueueName,
  unknown
>;

function startOwnQueues(
  queues: readonly QueueName[],
  parts: OwnQueueParts & Pick<Models, 'model' | 'directory'>,
  settings: WorkerSettings,
): ReadonlyMap<QueueName, OwnQueue> {
  const served = (Object.keys(ownStarts) as OwnQueueName[]).filter(queue => queues.includes(queue));
  return new Map(served.map(queue => [queue, ownStarts[queue](parts, settings)]));
}

function makeMetrics(name: string, { modelPrices }: WorkerSettings, log: Logger) {
  return makeWorkerMetrics(name, modelPrices, err =>
    log.warn({ event: 'metrics.count_failed', err }, 'failed to record a metric'),
  );
}

async function startConsumers(
  queues: readonly QueueName[],
  keep: KeepOpened,
  optionsOf: (queue: QueueName) => ConsumerOptions,
): Promise<Consumer[]> {
  // Loading the tokenizer blocks the event loop for a quarter of a second, so it is loaded before the first job.
  if (queues.some(queue => queueTable[queue].countsTokens)) await loadCountTokens();
  const start = async (queue: QueueName) => {
    const consumer = await makeConsumer(optionsOf(queue));
    // The consumers that run have jobs, which they end before the start is tried again.
    keep({ close: () => consumer.close(WORK_ENDS_WITHIN_MS) });
    return consumer;
  };
  // Consumers start one after the other: together they would open a dozen more connections, which are then idle.
  const consumers: Consumer[] = [];
  for (const queue of queues) consumers.push(await start(queue));
  return consumers;
}

function slotsOf(queue: QueueName, { workerConcurrency }: WorkerSettings): number {
  return queueTable[queue].slots ?? workerConcurrency;
}

function callAll(listeners: readonly ((call: ModelCall) => void)[]): (call: ModelCall) => void {
  return call => listeners.forEach(listen => listen(call));
}

function makeJobLog(log: Logger) {
  let isKeyLogged = false;
  return {
    onLockLost: ({ message: reason }: Error) => log.warn({ event: 'job.lock_lost', reason }, 'job lock lost'),
    /** Logged once: while the keys differ, every job fails this way. */
    onUnreadable({ message: reason }: Error, jobId: string) {
      if (isKeyLogged) return;
      isKeyLogged = true;
      const remedy = 'give web and worker the same SECRET_KEY, and restart them';
      const line = { event: 'job.unreadable', reason, jobId, remedy };
      log.error(line, 'failed to decrypt a job: it was encrypted with another SECRET_KEY');
    },
    /** An uncaught error ends the process: its jobs are ended, and its supervisor restarts it. */
    onStuck(queue: QueueName) {
      log.fatal(
        { event: 'worker.stuck', queue },
        'this worker takes no jobs although some wait: it ends, to be started again',
      );
      setImmediate(() => {
        throw new Error(`the worker takes no jobs of the queue ${queue}`);
      });
    },
    onBug: (err: unknown, { requestId, jobId, operation }: Job) =>
      log.error(
        { event: 'job.handler_failed', err, requestId, jobId, operation },
        'a handler threw an unexpected error',
      ),
  };
}

/** Returns undefined if the database cannot store vectors. */
async function checkEmbeddingModel(
  db: Db,
  { openaiEmbeddingModel: model }: WorkerSettings,
  log: Logger,
): Promise<string | undefined> {
  if (model === undefined) return undefined;
  const reason = await migrateVectors(db).catch((error: Error) => error.message);
  if (reason === undefined) return model;
  log.warn(
    { event: 'embeddings.disabled', reason },
    'OPENAI_EMBEDDING_MODEL is not used: knowledge is searched by words only',
  );
  return undefined;
}

/** Refuses names that no provider has, including names of models with fallbacks. */
async function checkModelNames(
  directory: ModelDirectory,
  { modelFallbacks = {}, modelPrices = {}, openaiEmbeddingModel }: WorkerSettings,
): Promise<void> {
  const unlisted = [OFFLINE_MODEL, openaiEmbeddingModel];
  // A host may add or delete its own provider later, and speech may go elsewhere: neither keeps a process from starting.
  const isListed = (model: string) => !unlisted.includes(model) && !model.includes('/');
  const priced = Object.entries(modelPrices).flatMap(([model, price]) =>
    isListed(model) && tokenPricesOf(price) ? model : [],
  );
  const named = { MODEL_FALLBACKS: Object.entries(modelFallbacks).flat(2), MODEL_PRICES: priced };
  for (const [setting, models] of Object.entries(named))
    for (const model of new Set(models)) {
      const error = await directory.findCertainError(model);
      if (error !== undefined) throw new SettingError(`setting "${setting}": "${model}" ${error.message}`);
    }
}

/** An avatar without a model of its own needs the default one. */
function warnIfNoModel({ openaiModel }: WorkerSettings, log: Logger): void {
  if (openaiModel) return;
  const line = {
    event: 'model.not_configured',
    remedy: 'set OPENAI_BASE_URL or OPENAI_API_KEY, and OPENAI_MODEL',
  };
  log.warn(line, 'no default model is set: turns of avatars that name no model are refused with 503');
}

function warnIfOpen({ egressAllowPrivate, appEnv }: WorkerSettings, log: Logger): void {
  if (!egressAllowPrivate || appEnv !== 'production') return;
  const line = { event: 'egress.open', remedy: 'name the addresses in EGRESS_ALLOW instead' };
  log.warn(line, 'EGRESS_ALLOW_PRIVATE lets every tenant call every private address');
}

function servedQueues({ workerQueues }: WorkerSettings): QueueName[] {
  const unknown = workerQueues.find(name => !queueNames.includes(name as QueueName));
  if (unknown !== undefined)
    throw new SettingError(
      `setting "WORKER_QUEUES" has no queue "${unknown}": there are ${queueNames.join(', ')}`,
    );
  return workerQueues.length > 0 ? (workerQueues as QueueName[]) : [...queueNames];
}
