import { pino } from 'pino';
import { startWorkers } from '../workers/start.ts';

/** The workers of `bench/http` and `bench/turn`, in a process of their own. */
const [redisUrl = '', databaseUrl = '', secretKey = '', openaiBaseUrl] = process.argv.slice(2);
const settings = {
  databaseUrl,
  redisUrl: redisUrl || undefined,
  secretKey,
  workerConcurrency: 64,
  workerQueues: [],
  insightConcurrency: 0,
  openaiBaseUrl,
  openaiModel: openaiBaseUrl && 'bench',
};
await startWorkers(settings, pino({ level: 'warn' }));
process.once('disconnect', () => process.exit());
process.send?.('ready');
