import type { Logger } from 'pino';
import { connect } from '../db/connection.ts';
import { ping } from '../db/ping.ts';
import { purgeExpiredReplies } from '../db/replies.ts';
import { openBackend } from '../queues/backend.ts';
import { type Consumer, followCancellations, makeConsumer } from '../queues/consumer.ts';
import { type QueueName, queueNames } from '../queues/operation.ts';
import { makeSeal } from '../queues/seal.ts';
import { makeAnswerer } from './answer.ts';
import { makeHandlers } from './handlers.ts';

export interface WorkerSettings {
  readonly databaseUrl: string;
  readonly redisUrl?: string | undefined;
  readonly secretKey: string;
  readonly workerConcurrency: number;
  /** Names of the queues to serve; empty means all. */
  readonly workerQueues: readonly string[];
  readonly openaiBaseUrl?: string | undefined;
  readonly openaiApiKey?: string | undefined;
  readonly openaiModel?: string | undefined;
}

export interface Workers {
  /** Takes no more jobs, ends those under way, then lets go of everything. */
  close(): Promise<void>;
}

const GRACE_MS = 24_000;
const PURGE_EVERY_MS = 60_000;

export async function startWorkers(settings: WorkerSettings, log: Logger): Promise<Workers> {
  const { databaseUrl, redisUrl, workerConcurrency } = settings;
  const db = connect(databaseUrl, { max: 20, applicationName: 'parley-worker' });
  await ping(db);
  const onError = (error: Error) => log.warn({ err: error }, 'the queue store cannot be reached');
  const backend = await openBackend({ redisUrl, databaseUrl, onError });
  const { handlers, close: closeHandlers } = makeHandlers(db, settings, log);
  const options = {
    backend,
    seal: makeSeal(settings.secretKey),
    concurrency: workerConcurrency,
    ...makeAnswerer(db, handlers),
    onBug: (
      error: unknown,
      { requestId, jobId, operation }: { requestId: string; jobId: string; operation: string },
    ) => log.error({ err: error, requestId, jobId, operation }, 'a handler met a bug'),
  };
  const consumers = await Promise.all(
    servedQueues(settings).map(queue => makeConsumer({ ...options, queue })),
  );
  const cancellations = await followCancellations(backend, consumers);
  const purge = setInterval(() => void purgeExpiredReplies(db).catch(onError), PURGE_EVERY_MS);
  log.info({ queue: backend.kind, concurrency: workerConcurrency }, 'workers are at work');
  return {
    async close() {
      clearInterval(purge);
      await Promise.all(consumers.map((consumer: Consumer) => consumer.close(GRACE_MS)));
      await cancellations.close();
      closeHandlers();
      await backend.close();
      await db.destroy();
    },
  };
}

function servedQueues({ workerQueues }: WorkerSettings): QueueName[] {
  const unknown = workerQueues.find(name => !queueNames.includes(name as QueueName));
  if (unknown !== undefined) throw new Error(`WORKER_QUEUES: there is no queue "${unknown}"`);
  return workerQueues.length > 0 ? (workerQueues as QueueName[]) : [...queueNames];
}
