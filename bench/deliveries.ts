import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeOwnRedis } from '../test/support/own-redis.ts';
import { makeHost, startDatabase } from './database.ts';
import { makeTold, SECRET_KEY, type Told, tell, waitUntil } from './delivery-parts.ts';
import { percentileOf } from './percentiles.ts';
import { makeProcessStarter, type StartedProcess } from './processes.ts';

/*
 * Deliveries of events by two worker processes:
 *
 *   speed       from the commit of an event to its arrival at one of twenty receivers
 *   isolation   the same for eighteen receivers, while one of the others is dead and one answers after 14 s
 *   kills       how many of the events arrive while workers, and Redis, are killed by SIGKILL every few seconds
 */

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'redis' },
    only: { type: 'string', default: 'speed,isolation,kills' },
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '30' },
    kills: { type: 'string', default: '10000' },
  },
});
const RECEIVERS = 20;
const KILL_EVERY_MS = 3_000;
const SLOW_MS = 14_000;
const only = values.only.split(',');
const rate = Number(values.rate);

const redis = values.store === 'redis' ? await makeOwnRedis() : undefined;
const { db, ...database } = await startDatabase({ max: 10, acquireWithinMs: 60_000 });
const hostId = await makeHost(db);
const start = makeProcessStarter({
  databaseUrl: database.url,
  redisUrl: redis?.url,
  openaiBaseUrl: 'http://127.0.0.1:1',
  env: { EGRESS_ALLOW_PRIVATE: 'true', SECRET_KEY },
});
let workers = await Promise.all([start('workers'), start('workers')]);
console.log(`${values.store}, 2 workers, ${rate} deliveries a second`);

if (only.includes('speed')) await measureSpeed();
if (only.includes('isolation')) await measureIsolation();
if (only.includes('kills')) await measureKills(Number(values.kills));

await Promise.all(workers.map(kill));
await redis?.kill();
await database.stop();
process.exit(0);

/** Each event goes to all receivers, so a twentieth of the events are so many deliveries. */
async function measureRound(told: readonly Told[]): Promise<void> {
  await tell(db, hostId, rate / 4, rate / RECEIVERS);
  for (const { lags } of told) lags.length = 0;
  const turns = await tell(db, hostId, (rate * Number(values.seconds)) / RECEIVERS, rate / RECEIVERS);
  const last = turns.at(-1) ?? '';
  await waitUntil(() => told.every(({ arrivals }) => arrivals.has(last)), 60_000);
}

async function measureSpeed(): Promise<void> {
  const told = await makeReceivers(RECEIVERS);
  await measureRound(told);
  print('speed, 20 receivers', told);
  await forget();
}

async function measureIsolation(): Promise<void> {
  const good = await makeReceivers(RECEIVERS - 2);
  const others = await makeReceivers(2);
  await measureRound(good);
  const plain = print('18 of 20 good receivers', good);
  await Promise.all(others.map(({ receiver }) => receiver.close()));
  await forget(others.map(({ webhookId }) => webhookId));
  const [dead, slow] = [await makeTold(db, hostId), await makeTold(db, hostId, SLOW_MS)];
  await dead.receiver.close();
  await measureRound(good);
  const beside = print('18 beside one dead and one slow', good);
  console.log(`  p99 ${(beside - plain).toFixed(0)} ms more`);
  await slow.receiver.close();
  await forget();
}

async function measureKills(count: number): Promise<void> {
  const [told] = await makeReceivers(1);
  if (!told) return;
  const killing = new AbortController();
  const killed = killAll(killing.signal);
  const startedAt = performance.now();
  const turns = await tell(db, hostId, count, rate);
  const seconds = (performance.now() - startedAt) / 1_000;
  killing.abort();
  const kills = await killed;
  const arrived = () => turns.filter(turn => told.arrivals.has(turn)).length;
  await waitUntil(() => arrived() === count, 600_000);
  const settled = (performance.now() - startedAt) / 1_000 - seconds;
  const twice = [...told.arrivals.values()].filter(times => times > 1).length;
  console.log(
    `  kills: ${count - arrived()} of ${count} lost, ${twice} arrived more than once, in ${seconds.toFixed(0)} s with ${kills} kills; the last ${settled.toFixed(0)} s after`,
  );
  print('with kills', [told]);
}

/** A worker, then Redis, then the other worker, … Returns the number of kills. */
async function killAll(stop: AbortSignal): Promise<number> {
  let kills = 0;
  while (await delay(KILL_EVERY_MS, true, { signal: stop }).catch(() => false)) {
    kills += 1;
    if (redis && kills % 3 === 0) {
      await redis.kill();
      await redis.start();
      continue;
    }
    const [victim, ...rest] = workers;
    if (victim) await kill(victim);
    workers = [...rest, await start('workers')];
  }
  return kills;
}

function makeReceivers(count: number): Promise<Told[]> {
  return Promise.all(Array.from({ length: count }, () => makeTold(db, hostId, 0)));
}

async function forget(ids?: readonly string[]): Promise<void> {
  await (ids ? db('webhooks').whereIn('id', ids) : db('webhooks')).delete();
  await (ids ? db('deliveries').whereIn('webhook_id', ids) : db('deliveries')).delete();
}

function print(name: string, told: readonly Told[]): number {
  const lags = told.flatMap(each => each.lags);
  const [p50, p99, most] = [0.5, 0.99, 1].map(share => percentileOf(lags, share));
  console.log(`  ${name}: ${lags.length} arrived, p50 ${p50} ms, p99 ${p99} ms, longest ${most} ms`);
  return p99 ?? Number.NaN;
}

async function kill({ child }: StartedProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
