import { parseArgs } from 'node:util';
import { connect, type Db } from '../db/connection.ts';
import { SECRET_KEY, startDatabase, tokenFor } from './database.bench.ts';
import { BEGINS, fillHost, plainQuery } from './report-data.bench.ts';
import { atOnce, forkReady, startRedis, stopFork } from './stores.bench.ts';

/*
 * The time of both reports of 24 months over HTTP, with the queue on Redis, for a hundredth of the messages and for
 * all; for whole days, from daily counts, and with partial days at both ends, counted from messages. Compared with a
 * query over all messages.
 */

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '10000000' },
    few: { type: 'string', default: '100000' },
    runs: { type: 'string', default: '300' },
  },
});
const sizes = [Number(values.few), Number(values.messages)];
const runs = Number(values.runs);
const paths = { conversational: 'getConversationalStats', financial: 'getFinancialStats' };
const periods = {
  'whole days': { startDate: BEGINS, endDate: '2026-03-01T03:00:00Z' },
  'parts of days at both ends': { startDate: '2024-03-01T15:00:00Z', endDate: '2026-02-27T15:00:00Z' },
};

const redis = await startRedis();
const database = await startDatabase({ max: 2, answerWithinMs: 3_600_000 });
const hosts: Awaited<ReturnType<typeof prepare>>[] = [];
for (const size of sizes) hosts.push(await prepare(database.db, size));

const parts = [redis.redisUrl ?? '', database.url, SECRET_KEY];
const worker = await forkReady('http-worker', parts);
const api = await forkReady('http-api', parts);
const { port } = api.said as { port: number };

for (const [what, period] of Object.entries(periods)) {
  for (const [name, path] of Object.entries(paths)) await measure(`${name}, ${what}`, path, period);
}
for (const { size, hostId } of hosts) await measurePlain(size, hostId);

await stopFork(api);
await stopFork(worker);
await redis.stop();
await database.stop();

async function prepare(to: Db, size: number) {
  const startedAt = performance.now();
  const hostId = await fillHost(to, size);
  const token = await tokenFor(to, hostId, 'report');
  await to.raw(`set statement_timeout = 0`);
  await to.raw('vacuum analyze messages, conversations, tickets, report_days');
  console.log(`${size} messages made in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  return { size, hostId, token };
}

/** Alternates, so that other load on the machine affects all sizes equally. */
async function measure(what: string, path: string, period: object): Promise<void> {
  for (const host of hosts) await atOnce(20, 1, () => ask(path, period, host.token));
  const figures = [];
  for (const { size, token } of hosts) {
    const { p50, p99 } = await atOnce(runs, 1, () => ask(path, period, token));
    figures.push({ p50, p99 });
    console.log(`${what}, ${size} messages: p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms`);
  }
  const [few, all] = figures;
  if (few && all)
    console.log(`  p50 ${(all.p50 / few.p50).toFixed(2)} ×, p99 ${(all.p99 / few.p99).toFixed(2)} ×`);
}

async function measurePlain(size: number, hostId: string): Promise<void> {
  const { startDate, endDate } = periods['whole days'];
  const plain = connect(database.url, { max: 1, answerWithinMs: 3_600_000 });
  await plain.raw('set statement_timeout = 0');
  const { p50 } = await atOnce(
    3,
    1,
    async () => void (await plain.raw(plainQuery, [hostId, startDate, endDate])),
  );
  console.log(`plain query over ${size} messages: ${p50.toFixed(0)} ms`);
  await plain.destroy();
}

async function ask(path: string, period: object, token: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/externalAPIs/public/svcReasoning/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(period),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(text);
}
