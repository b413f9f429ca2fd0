import Koa from 'koa';
import { pino } from 'pino';
import { startApi } from '../api/start.ts';
import { reportUsage } from './process-usage.bench.ts';

/** The api of `bench/http`, and a bare Koa route, in a separate process. */
const [redisUrl = '', databaseUrl = '', secretKey = '', timeoutMs = '60000'] = process.argv.slice(2);
reportUsage();
const api = await startApi(
  {
    port: 0,
    databaseUrl,
    redisUrl: redisUrl || undefined,
    secretKey,
    requestTimeoutMs: Number(timeoutMs),
    rateLimitPerMinute: 0,
    corsOrigins: [],
    trustProxy: false,
    sessionDays: 30,
    appEnv: 'production',
    enableTestEndpoint: false,
  },
  pino({ level: 'info' }, pino.destination('/dev/null')),
);
const bare = new Koa();
bare.use(ctx => {
  ctx.body = {
    code: 200,
    message: 'Success',
    data: { conversationId: '00000000-0000-4000-8000-000000000000' },
  };
});
const server = bare.listen(0, () => {
  const address = server.address();
  const barePort = typeof address === 'object' && address ? address.port : 0;
  process.once('disconnect', () => process.exit());
  process.send?.({ port: api.port, barePort });
});
