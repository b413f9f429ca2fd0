import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import type { Db } from '../db/connection.ts';
import { makeHost, SECRET_KEY, startDatabase, tokenFor } from './database.bench.ts';
import { compareStored, type Deal, dealsToSend } from './intake-deals.bench.ts';
import { atOnce, forkReady, startRedis, stopFork } from './stores.bench.ts';

/*
 * CRM intake end to end: deals of which 30 % are exact duplicates and 20 % updates, shuffled, 50 concurrently; then
 * the rate of a busy minute, 50 a second. Compared with one multi-row upsert of the same rows, the maximum of the
 * database. The stored records are compared with the sent ones.
 */

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    inFlight: { type: 'string', default: '50' },
    store: { type: 'string', default: 'redis' },
  },
});
const count = Number(values.count);
const inFlight = Number(values.inFlight);
const PER_SECOND = 50;
const PACED_SECONDS = 20;

const redis = values.store === 'redis' ? await startRedis() : undefined;
const { db, ...database } = await startDatabase({ max: 2 });
const token = await tokenFor(db, await makeHost(db), 'intake');

const parts = [redis?.redisUrl ?? '', database.url, SECRET_KEY];
const worker = await forkReady('http-worker', parts);
const api = await forkReady('http-api', parts);
const { port } = api.said as { port: number };
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: inFlight });
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const path = '/api/integrations/crm/internal/deals';

const deals = dealsToSend(count);
const ids = new Map<number, Set<string>>();
let refused = 0;
const burst = await atOnce(deals.length, inFlight, async n => send(deals[n] as Deal));
const stored = await compareStored(db, deals);
const paced = await sendPaced();
const upsertMs = await oneUpsert(db);

const several = [...ids.values()].filter(each => each.size > 1).length;
console.log(`intake of ${count} deals, ${inFlight} at once, queue on ${values.store}`);
console.log(
  `  burst                 ${burst.perSecond.toFixed(0)}/s  p50 ${burst.p50.toFixed(0)} ms  p99 ${burst.p99.toFixed(0)} ms`,
);
console.log(
  `  at ${PER_SECOND}/s               p50 ${paced.p50.toFixed(0)} ms  p99 ${paced.p99.toFixed(0)} ms`,
);
console.log(`  refused               ${refused} of ${count + PER_SECOND * PACED_SECONDS}`);
console.log(
  `  keys ${stored.keys}, rows ${stored.rows}, contacts ${stored.contacts}, keys with several ids ${several}`,
);
console.log(`  lost ${stored.lost}, not as the latest arrival ${stored.stale}`);
console.log(
  `  one multi-row upsert  ${(stored.keys / (upsertMs / 1_000)).toFixed(0)} rows/s (${stored.keys} rows in ${upsertMs.toFixed(0)} ms)`,
);

await pool.close();
await stopFork(api);
await stopFork(worker);
await redis?.stop();
await database.stop();

async function send(deal: Deal): Promise<void> {
  const { statusCode, body } = await pool.request({
    path,
    method: 'POST',
    headers,
    body: JSON.stringify(deal),
  });
  const answer = (await body.json()) as { entityData?: { id: string } };
  if (statusCode !== 200 || !answer.entityData) {
    refused += 1;
    return;
  }
  const seen = ids.get(deal.external_id) ?? new Set();
  ids.set(deal.external_id, seen.add(answer.entityData.id));
}

async function sendPaced() {
  const took: number[] = [];
  const sent = Array.from({ length: PER_SECOND * PACED_SECONDS }, async (_, n) => {
    await delay((n * 1_000) / PER_SECOND);
    const startedAt = performance.now();
    await send({ ...(deals[n % deals.length] as Deal), external_id: 10_000_000 + n });
    took.push(performance.now() - startedAt);
  });
  await Promise.all(sent);
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.floor(took.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

async function oneUpsert(store: Db): Promise<number> {
  await store.raw('create table bench_leads (like leads including all)');
  await store.raw(`insert into bench_leads select * from leads where external_id::bigint < 10000000`);
  const startedAt = performance.now();
  await store.raw('set statement_timeout = 0');
  await store.raw(`insert into bench_leads select * from leads where external_id::bigint < 10000000
    on conflict (host_id, kind, external_id) do update set dealname = excluded.dealname, updated_at = now()`);
  return performance.now() - startedAt;
}
