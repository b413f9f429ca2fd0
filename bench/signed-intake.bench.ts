import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { secretLabelOf } from '../api/signed-intake/signature-check.ts';
import { insertSource } from '../db/intake/crm-sources.ts';
import { withHost } from '../db/with-hosts.ts';
import { makeSeal } from '../platform/seal.ts';
import { makeHost, SECRET_KEY, startDatabase } from './database.bench.ts';
import { type Deal, dealsToSend } from './intake-deals.bench.ts';
import { forkReady, startRedis, stopFork } from './stores.bench.ts';

/*
 * Signed records at a fixed rate, as a shop system sends them that waits for a second: 30 % are exact duplicates and 20 %
 * updates, each a message of its own. By default they are answered when they are stored (--ack early); --ack late is the
 * peer in another run. All count, those of the first seconds, too, in which new processes compile. The stored records are compared with the sent ones when all are mapped.
 */

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '12000' },
    rate: { type: 'string', default: '200' },
    ack: { type: 'string', default: 'early' },
    store: { type: 'string', default: 'redis' },
  },
});
const [count, rate] = [Number(values.count), Number(values.rate)];
const ack = values.ack === 'late' ? 'late' : 'early';
const secret = randomBytes(32);
const MAP_WITHIN_MS = 120_000;

const redis = values.store === 'redis' ? await startRedis() : undefined;
const { db, ...database } = await startDatabase({ max: 2 });
const path = await makeSource(await makeHost(db));
const parts = [redis?.redisUrl ?? '', database.url, SECRET_KEY];
const worker = await forkReady('http-worker', parts);
const api = await forkReady('http-api', parts);
const { port } = api.said as { port: number };
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 100 });

const deals = dealsToSend(count);
const codes = new Map<number, number>();
const took: number[] = [];
const answered = new Set<number>();
const load = loadavg()[0] ?? 0;
const startedAt = performance.now();
await Promise.all(deals.map((deal, n) => sendAt(startedAt + (n * 1_000) / rate, deal, n)));
const sentMs = performance.now() - startedAt;
const mappedMs = await waitUntilMapped();
const stored = await compareStored();
took.sort((a, b) => a - b);
const at = (share: number) => (took[Math.floor(took.length * share)] ?? 0).toFixed(0);

console.log(`${count} signed deals at ${rate}/s, ack ${ack}, queue on ${values.store}`);
console.log(`  load before / after   ${load.toFixed(1)} / ${(loadavg()[0] ?? 0).toFixed(1)}`);
console.log(`  rate                  ${(count / (sentMs / 1_000)).toFixed(0)}/s`);
console.log(`  answer                p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  max ${at(0.99999)} ms`);
console.log(`  answers by status     ${[...codes].map(([code, times]) => `${code}: ${times}`).join(', ')}`);
console.log(`  all mapped            ${mappedMs.toFixed(0)} ms after the last answer`);
console.log(
  `  keys ${stored.keys}, rows ${stored.rows}, contacts ${stored.contacts}, received ${stored.received}`,
);
console.log(`  lost ${stored.keys - stored.rows}, not as the latest arrival ${stored.stale}`);

await pool.close();
await stopFork(api);
await stopFork(worker);
await redis?.stop();
await database.stop();

async function makeSource(hostId: string): Promise<string> {
  const [id, address] = [randomUUID(), randomUUID()];
  const text = `whsec_${secret.toString('base64')}`;
  const sealedSecret = await makeSeal(SECRET_KEY, 'source secret').seal(text, secretLabelOf(id));
  const source = {
    id,
    address,
    name: 'bench',
    kind: 'deals',
    scheme: 'standard',
    settings: {},
    ack,
  } as const;
  await withHost(db, hostId, scope => insertSource(scope, { ...source, enabled: true, sealedSecret }));
  return `/api/integrations/crm/internal/in/${address}`;
}

async function sendAt(time: number, deal: Deal, n: number): Promise<void> {
  await delay(Math.max(0, time - performance.now()));
  const body = JSON.stringify(deal);
  const [id, timestamp] = [`msg_${n}`, Math.floor(Date.now() / 1_000)];
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  };
  const sentAt = performance.now();
  const response = await pool.request({ path, method: 'POST', headers, body });
  await response.body.dump();
  took.push(performance.now() - sentAt);
  if (response.statusCode < 300) answered.add(deal.external_id);
  codes.set(response.statusCode, (codes.get(response.statusCode) ?? 0) + 1);
}

async function waitUntilMapped(): Promise<number> {
  const from = performance.now();
  for (;;) {
    const [left] = await db('intake_records').where({ state: 'received' }).count();
    if (Number(left?.['count']) === 0) return performance.now() - from;
    if (performance.now() - from > MAP_WITHIN_MS)
      throw new Error(`${left?.['count']} records are not mapped`);
    await delay(20);
  }
}

/** The latest arrival of each key must be stored; a key is lost if it was answered with 2xx and has no row. */
async function compareStored() {
  const { rows } = await db.raw<{ rows: Record<'rows' | 'contacts' | 'received' | 'stale', number>[] }>(`
    with latest as (
      select distinct on (body ->> 'external_id') body from intake_records
      order by body ->> 'external_id', arrived_at desc
    )
    select (select count(*)::integer from leads) as rows, (select count(*)::integer from contacts) as contacts,
      (select count(*)::integer from intake_records) as received,
      (select count(*)::integer from latest left join leads on external_id = body ->> 'external_id'
        where dealname is distinct from body ->> 'dealname') as stale`);
  const [found] = rows;
  if (!found) throw new Error('there is no row of counts');
  return { keys: answered.size, ...found };
}
