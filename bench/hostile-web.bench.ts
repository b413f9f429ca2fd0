import { pino } from 'pino';
import { startApi } from '../api/start.ts';
import { answerLoadQueries } from './hostile/child-load.bench.ts';

/** The api of `bench/hostile`, in a separate process. */
const [redisUrl = '', databaseUrl = '', secretKey = ''] = process.argv.slice(2);
const settings = {
  port: 0,
  databaseUrl,
  redisUrl: redisUrl || undefined,
  secretKey,
  requestTimeoutMs: 60_000,
  rateLimitPerMinute: 0,
  corsOrigins: [],
  trustProxy: false,
  sessionDays: 30,
  appEnv: 'production',
  enableTestEndpoint: false,
} as const;
const { port } = await startApi(settings, pino({ level: 'fatal' }));
process.once('disconnect', () => process.exit());
process.send?.({ port });
answerLoadQueries();
