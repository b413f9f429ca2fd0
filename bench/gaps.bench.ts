import { parseArgs } from 'node:util';
import type { Db } from '../db/connection.ts';
import { countAllOutcomes } from '../workers/reports/get-outcomes.ts';
import { SECRET_KEY, startDatabase, tokenFor } from './database.bench.ts';
import { fillHost } from './report-data.bench.ts';
import { atOnce, forkReady, startRedis, stopFork } from './stores.bench.ts';

/*
 * The time of the reports of gaps and of outcomes over HTTP, for a host with this many messages in 24 months, of which one
 * question in 50 found no answer, in 1,000 gaps; for whole months, and with parts of months and days at both ends.
 */

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '10000000' },
    runs: { type: 'string', default: '300' },
    gaps: { type: 'string', default: '1000' },
  },
});
const [messages, runs, gaps] = [values.messages, values.runs, values.gaps].map(Number) as [
  number,
  number,
  number,
];
const ONE_IN = 50;
const periods = {
  'whole months': { startDate: '2024-04-01T00:00:00Z', endDate: '2026-02-01T00:00:00Z' },
  'parts at both ends': { startDate: '2024-03-17T15:00:00Z', endDate: '2026-02-13T15:00:00Z' },
};

const redis = await startRedis();
const database = await startDatabase({ max: 2, answerWithinMs: 3_600_000 });
const { db } = database;
const hostId = await timed('messages made', () => fillHost(db, messages));
await timed('gaps made', () => fillGaps(db, hostId));
await db.raw('insert into service_changes (host_id, conversation_id) select host_id, id from conversations');
await timed('outcomes folded', () =>
  countAllOutcomes({ owner: db, heavy: db }, new AbortController().signal),
);
await db.raw('set statement_timeout = 0');
await db.raw(
  'vacuum analyze messages, conversations, gaps, gap_questions, gap_months, services, service_days, service_changes, report_days',
);
const token = await tokenFor(db, hostId, 'report');
const parts = [redis.redisUrl ?? '', database.url, SECRET_KEY];
const worker = await forkReady('http-worker', parts);
const api = await forkReady('http-api', parts);
const { port } = api.said as { port: number };

for (const path of ['getKnowledgeGaps', 'getOutcomes']) {
  for (const [what, period] of Object.entries(periods)) {
    await atOnce(20, 1, () => ask(path, period));
    const { p50, p99 } = await atOnce(runs, 1, () => ask(path, period));
    console.log(`${path}, ${what}: p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms`);
  }
}

await stopFork(api);
await stopFork(worker);
await redis.stop();
await database.stop();

/** Fills in gaps as they are after grouping. Every tenth has the answer of a staff member. */
async function fillGaps(to: Db, host: string): Promise<void> {
  await to.transaction(async tx => {
    await tx.raw('set local statement_timeout = 0; set local session_replication_role = replica');
    await tx.raw(
      `insert into gap_questions (host_id, message_seq, conversation_id, reason, asked_at, answered_seq, gap_id, words)
       select host_id, seq, conversation_id, 'not_found', created_at, case when nth % 10 = 0 then seq + 1 end,
         md5((nth * nth % ${gaps})::text)::uuid, '{horari,secretari}'
       from (
         select *, row_number() over () as nth from messages where host_id = ? and author = 'user' and seq % ${ONE_IN} = 1
       ) asked`,
      [host],
    );
    await tx.raw(
      `insert into gaps select host_id, gap_id, '{horari,secretari}', max(asked_at) from gap_questions group by 1, 2`,
    );
    await tx.raw(
      `insert into gap_months select host_id, utc_month(asked_at), gap_id, count(*) from gap_questions group by 1, 2, 3`,
    );
  });
  const { rows } = await to.raw('select count(*) as n, count(distinct gap_id) as gaps from gap_questions');
  console.log(`${rows[0].n} questions without an answer, in ${rows[0].gaps} gaps`);
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const done = await work();
  console.log(`${what} in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  return done;
}

async function ask(path: string, period: object): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/externalAPIs/public/svcReasoning/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(period),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(text);
}
