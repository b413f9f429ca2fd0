import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { makeSeal } from '../platform/seal.ts';
import { openBackend } from '../queues/transport/backend.ts';
import { makeDispatcher } from '../queues/transport/dispatcher.ts';
import { makeHost, SECRET_KEY, startDatabase, tokenFor } from './database.bench.ts';
import { atOnce, forkReady, startRedis, stopFork } from './stores.bench.ts';

/*
 * The cost of HTTP: `createConversationId` end to end (token, validation, queue, one insert, envelope), compared
 * with the same operation queued without HTTP, and with an empty Koa route.
 */

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '8' }, connections: { type: 'string', default: '64' } },
});
const seconds = Number(values.seconds);
const connections = Number(values.connections);

const redis = await startRedis();
const database = await startDatabase({ max: 2 });
const hostId = await makeHost(database.db);
const token = await tokenFor(database.db, hostId, 'reason');

const parts = [redis.redisUrl ?? '', database.url, SECRET_KEY];
const worker = await forkReady('http-worker', parts);
const withoutHttp = await dispatched();
const api = await forkReady('http-api', parts);
const { port, barePort } = api.said as { port: number; barePort: number };
const body = JSON.stringify({ hostId, hostSlug: 'bench' });
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const path = '/api/externalAPIs/public/createConversationId';
const overHttp = await load({ url: `http://127.0.0.1:${port}${path}`, method: 'POST', headers, body });
const bare = await load({ url: `http://127.0.0.1:${barePort}/`, method: 'POST', headers, body });

console.log(`createConversationId, ${connections} at once, ${seconds} s each, queue on Redis`);
console.log(
  `  over HTTP              ${overHttp.perSecond.toFixed(0)}/s  p99 ${overHttp.p99} ms  errors ${overHttp.errors}`,
);
console.log(
  `  dispatcher alone       ${withoutHttp.perSecond.toFixed(0)}/s  p99 ${withoutHttp.p99.toFixed(1)} ms`,
);
console.log(`  bare Koa route         ${bare.perSecond.toFixed(0)}/s  p99 ${bare.p99} ms`);
console.log(`  ratio to dispatcher    ${(overHttp.perSecond / withoutHttp.perSecond).toFixed(2)} x`);

await stopFork(api);
await stopFork(worker);
await redis.stop();
await database.stop();

async function dispatched() {
  const backend = await openBackend({
    redisUrl: redis.redisUrl,
    databaseUrl: database.url,
    onError: error => console.error(error),
  });
  const dispatcher = await makeDispatcher(backend, makeSeal(SECRET_KEY), ['catalog']);
  const caller = { tokenId: '', tokenName: 'bench', scopes: [], hostIds: [hostId] };
  const ask = async () => {
    const outcome = await dispatcher.ask({
      operation: 'createConversation',
      queue: 'catalog',
      requestId: 'bench',
      arrivedAt: backend.now(),
      timeoutMs: 60_000,
      caller,
      body: { hostId, hostSlug: 'bench' },
      clientGone: new AbortController().signal,
    });
    if (outcome.code !== 200) throw new Error(JSON.stringify(outcome));
  };
  await atOnce(1_000, connections, ask);
  const measured = await atOnce(seconds * 800, connections, ask);
  await dispatcher.close();
  await backend.close();
  return measured;
}

async function load(options: autocannon.Options) {
  await autocannon({ ...options, connections, duration: 2 });
  const { requests, latency, errors, non2xx } = await autocannon({
    ...options,
    connections,
    duration: seconds,
  });
  return { perSecond: requests.average, p99: latency.p99, errors: errors + non2xx };
}
