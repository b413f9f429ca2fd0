import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';
import { makeOwnRedis } from '../test/support/own-redis.ts';
import { makeHost, startDatabase, tokenFor } from './database.bench.ts';
import { compareStored, type Deal, dealsToSend } from './intake-deals.bench.ts';
import { killInTurn, makeProcessStarter } from './processes.bench.ts';
import { atOnce } from './stores.bench.ts';

/*
 * CRM intake on two `web` and two worker processes, of which one is killed every few seconds, as is Redis. The CRM sends a deal
 * again until it is answered. Every deal must be stored once, as the latest arrival has it.
 */

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    inFlight: { type: 'string', default: '50' },
    store: { type: 'string', default: 'redis' },
    'kill-every': { type: 'string', default: '5' },
  },
});
const BEFORE_NEXT_MS = 100;
const MOST_ATTEMPTS = 600;

const redis = values.store === 'redis' ? await makeOwnRedis() : undefined;
const { db, ...database } = await startDatabase({ max: 2 });
const token = await tokenFor(db, await makeHost(db), 'intake');
const start = makeProcessStarter({
  databaseUrl: database.url,
  redisUrl: redis?.url,
  openaiBaseUrl: 'http://127.0.0.1:1',
});
const processes = {
  api: await Promise.all([start('api'), start('api')]),
  workers: await Promise.all([start('workers'), start('workers')]),
};
const dispatcher = new Agent({ connections: Number(values.inFlight) });
const deals = dealsToSend(Number(values.count));
const ids = new Map<number, Set<string>>();
const statuses = new Map<number, number>();

const over = new AbortController();
const killing = killInTurn(
  { start, processes, redis, everyMs: Number(values['kill-every']) * 1_000 },
  over.signal,
);
const { perSecond, p50, p99 } = await atOnce(deals.length, Number(values.inFlight), at =>
  sendUntilAnswered(deals[at] as Deal, at),
);
over.abort();
const kills = await killing;
const stored = await compareStored(db, deals);

const several = [...ids.values()].filter(each => each.size > 1).length;
const tries = [...statuses].map(([status, times]) => `${status || 'no answer'}: ${times}`).join(', ');
console.log(`intake of ${deals.length} deals, ${values.inFlight} at once, queue on ${values.store}`);
console.log(`  kills                 ${kills.api} web, ${kills.workers} worker, ${kills.redis} Redis`);
console.log(`  ${perSecond.toFixed(0)}/s  p50 ${p50.toFixed(0)} ms  p99 ${p99.toFixed(0)} ms`);
console.log(`  tries by status       ${tries}`);
console.log(
  `  keys ${stored.keys}, rows ${stored.rows}, contacts ${stored.contacts}, keys with several ids ${several}`,
);
console.log(`  lost ${stored.lost}, not as the latest arrival ${stored.stale}`);

for (const { child } of [...processes.api, ...processes.workers]) child.kill('SIGKILL');
await redis?.kill();
await database.stop();
process.exit(0);

async function sendUntilAnswered(deal: Deal, at: number): Promise<void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const { status, id } = await send(deal, processes.api[(at + attempt) % processes.api.length]?.port ?? 0);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (id !== undefined) {
      ids.set(deal.external_id, (ids.get(deal.external_id) ?? new Set()).add(id));
      return;
    }
    await delay(BEFORE_NEXT_MS);
  }
  throw new Error(`Deal ${deal.external_id} was never answered.`);
}

/** Status 0: the connection was refused, or broke off. */
async function send(deal: Deal, port: number): Promise<{ status: number; id: string | undefined }> {
  try {
    const { statusCode: status, body } = await request(
      `http://127.0.0.1:${port}/api/integrations/crm/internal/deals`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(deal),
        dispatcher,
      },
    );
    const answer = (await body.json()) as { entityData?: { id: string } };
    return { status, id: status === 200 ? answer.entityData?.id : undefined };
  } catch {
    return { status: 0, id: undefined };
  }
}
