import { pino } from 'pino';
import { startWorkers } from '../workers/start.ts';
import { answerLoadQueries } from './hostile/child-load.bench.ts';

/** The workers of `bench/hostile`, which may call local servers, in a separate process. */
const [redisUrl = '', databaseUrl = '', secretKey = '', openaiBaseUrl] = process.argv.slice(2);
const settings = {
  databaseUrl,
  redisUrl: redisUrl || undefined,
  secretKey,
  workerConcurrency: 64,
  workerQueues: [],
  insightConcurrency: 2,
  insightAfterSeconds: 30,
  egressAllowPrivate: true,
  openaiBaseUrl,
  openaiModel: 'bench',
  visionModels: ['bench'],
  transcriptionModel: 'bench',
};
await startWorkers(settings, pino({ level: 'fatal' }));
process.once('disconnect', () => process.exit());
process.send?.('ready');
answerLoadQueries();
