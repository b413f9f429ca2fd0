import { parseArgs } from 'node:util';
import { makeOwnRedis } from '../test/support/own-redis.ts';
import { makeHost, SECRET_KEY, startDatabase } from './database.bench.ts';
import { makeTold, type Told, tell, waitUntil } from './delivery-parts.bench.ts';
import { percentileOf } from './percentiles.bench.ts';
import { killInTurn, killProcess, makeProcessStarter } from './processes.bench.ts';

/*
 * Deliveries of events by two worker processes to twenty receivers. Each event goes to one of them, of twenty hosts in turn, or
 * with `--each 20` to all twenty of one host.
 *
 *   speed       from the commit of an event to its arrival
 *   isolation   the same for eighteen receivers, while one of the others is dead and one answers after 14 s
 *   kills       how many of the events arrive while workers, and Redis, are killed by SIGKILL every few seconds
 */

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'redis' },
    only: { type: 'string', default: 'speed,isolation,kills' },
    rate: { type: 'string', default: '200' },
    each: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '30' },
    kills: { type: 'string', default: '10000' },
  },
});
const RECEIVERS = 20;
const KILL_EVERY_MS = 3_000;
const SLOW_MS = 14_000;
const WARM_UP_S = 5;
const only = values.only.split(',');
const [rate, each] = [Number(values.rate), Number(values.each)];

const redis = values.store === 'redis' ? await makeOwnRedis() : undefined;
const { db, ...database } = await startDatabase({ max: 10, acquireWithinMs: 60_000 });
const hostIds = await Promise.all(
  Array.from({ length: Math.ceil(RECEIVERS / each) }, (_, nth) => makeHost(db, `bench-${nth}`)),
);
const start = makeProcessStarter({
  databaseUrl: database.url,
  redisUrl: redis?.url,
  openaiBaseUrl: 'http://127.0.0.1:1',
  env: { EGRESS_ALLOW_PRIVATE: 'true', SECRET_KEY },
});
const workers = await Promise.all([start('workers'), start('workers')]);
console.log(`${values.store}, 2 workers, ${rate} events a second, each to ${each} of ${RECEIVERS} receivers`);

if (only.includes('speed')) await measureSpeed();
if (only.includes('isolation')) await measureIsolation();
if (only.includes('kills')) await measureKills(Number(values.kills));

await Promise.all(workers.map(killProcess));
await redis?.kill();
await database.stop();
process.exit(0);

async function measureRound(name: string, told: readonly Told[]): Promise<number> {
  await tellAll(told, WARM_UP_S);
  for (const { lags } of told) lags.length = 0;
  return print(name, told, await tellAll(told, Number(values.seconds)));
}

/** Returns how many deliveries these receivers will get; resolves when they have them, or a minute after the last event. */
async function tellAll(told: readonly Told[], seconds: number): Promise<number> {
  const turns = await tell(db, hostIds, rate * seconds, rate);
  const wanted = told.map(({ hostId }) => turns.filter((_, at) => hostIds[at % hostIds.length] === hostId));
  const isAll = ({ arrivals }: Told, at: number) => wanted[at]?.every(turn => arrivals.has(turn)) ?? false;
  await waitUntil(() => told.every(isAll), 60_000);
  return wanted.flat().length;
}

async function measureSpeed(): Promise<void> {
  const told = await makeReceivers(RECEIVERS);
  await measureRound('speed, 20 receivers', told);
  await forget();
}

async function measureIsolation(): Promise<void> {
  const told = await makeReceivers(RECEIVERS);
  const [dead, slow, ...good] = told;
  const plain = await measureRound('18 of 20 good receivers', good);
  await dead?.receiver.close();
  slow?.answerAfter(SLOW_MS);
  const beside = await measureRound('18 beside one dead and one slow', good);
  console.log(`  p99 ${(beside - plain).toFixed(0)} ms more`);
  await Promise.all(told.slice(1).map(({ receiver }) => receiver.close()));
  await forget();
}

async function measureKills(count: number): Promise<void> {
  const [told] = await makeReceivers(1);
  if (!told) return;
  const killing = new AbortController();
  const killed = killInTurn({ start, processes: { workers }, redis, everyMs: KILL_EVERY_MS }, killing.signal);
  const startedAt = performance.now();
  const turns = await tell(db, [told.hostId], count, rate);
  const seconds = (performance.now() - startedAt) / 1_000;
  killing.abort();
  const kills = await killed;
  const arrived = () => turns.filter(turn => told.arrivals.has(turn)).length;
  await waitUntil(() => arrived() === count, 600_000);
  const settled = (performance.now() - startedAt) / 1_000 - seconds;
  const twice = [...told.arrivals.values()].filter(times => times > 1).length;
  console.log(
    `  kills: ${count - arrived()} of ${count} lost, ${twice} arrived more than once, in ${seconds.toFixed(0)} s with ${kills.workers} workers and ${kills.redis} Redis killed; the last ${settled.toFixed(0)} s after`,
  );
  print('with kills', [told], count);
}

function makeReceivers(count: number): Promise<Told[]> {
  return Promise.all(
    Array.from({ length: count }, (_, nth) => makeTold(db, hostIds[nth % hostIds.length] ?? '')),
  );
}

async function forget(): Promise<void> {
  await db('webhooks').delete();
  await db('deliveries').delete();
}

function print(name: string, told: readonly Told[], wanted: number): number {
  const lags = told.flatMap(one => one.lags);
  const [p50, p99, most] = [0.5, 0.99, 1].map(share => percentileOf(lags, share));
  console.log(
    `  ${name}: ${lags.length} of ${wanted} arrived, p50 ${p50} ms, p99 ${p99} ms, longest ${most} ms`,
  );
  return p99 ?? Number.NaN;
}
