import { pino } from 'pino';
import { startWorkers } from '../workers/start.ts';
import { reportUsage } from './process-usage.bench.ts';

/** The workers of `bench/http`, `bench/turn` and others, which may call local servers, in a separate process. */
const [redisUrl = '', databaseUrl = '', secretKey = '', openaiBaseUrl, concurrency = '64'] =
  process.argv.slice(2);
const settings = {
  databaseUrl,
  redisUrl: redisUrl || undefined,
  secretKey,
  workerConcurrency: Number(concurrency),
  workerQueues: [],
  insightConcurrency: 0,
  insightAfterSeconds: 30,
  egressAllowPrivate: true,
  openaiBaseUrl,
  openaiModel: openaiBaseUrl && 'bench',
  transcriptionModel: openaiBaseUrl && 'bench',
};
reportUsage();
await startWorkers(settings, pino({ level: 'warn' }));
process.once('disconnect', () => process.exit());
process.send?.('ready');
