import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connect, type Db } from '../db/connection.ts';
import { ensureDatabase, startEmbedded } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';
import { rowsOf } from '../db/rows-of.ts';
import { makeLog } from '../platform/log.ts';
import { indexAtOnce, makeRecords } from '../test/search/generated-records.ts';
import { startIndexer } from '../workers/indexer/start.ts';
import { atOnce, makeFolder, processorMsOf } from './stores.bench.ts';

/*
 * The cost of the index for writers: single inserts with and without triggers. The throughput of the pipeline,
 * compared with one statement that does the same. The delay from a write until its record is found.
 */

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '10' },
    perSecond: { type: 'string', default: '500' },
  },
});
const [records, seconds, perSecond] = [values.records, values.seconds, values.perSecond].map(Number) as [
  number,
  number,
  number,
];
const FLUSH_MS = 1_000;

const folder = await makeFolder();
const server = await startEmbedded(folder.path, { settings: { max_wal_size: '4GB' } });
const url = await ensureDatabase(server.url, 'bench');
const maker = connect(url, { max: 1, answerWithinMs: 3_600_000 });
const db = connect(url, { max: 8 });
const log = makeLog('bench', 'warn');
try {
  await migrate(maker);
  const [hostId = ''] = await makeRecords(maker, records, 5);
  await cost(hostId);
  await throughput();
  await freshness(hostId);
} finally {
  await maker.destroy();
  await db.destroy();
  await server.stop();
  await folder.remove();
}

async function cost(hostId: string): Promise<void> {
  const writes = async () => (await atOnce(4_000, 4, at => insertLead(db, hostId, at))).perSecond;
  const speeds = { with: [] as number[], without: [] as number[] };
  for (const kind of ['without', 'with', 'without', 'with', 'without', 'with'] as const) {
    await maker.raw(`alter table leads ${kind === 'with' ? 'enable' : 'disable'} trigger user`);
    speeds[kind].push(await writes());
  }
  const [bare, own] = [median(speeds.without), median(speeds.with)];
  console.log(
    `inserts a second: ${bare.toFixed(0)} without triggers, ${own.toFixed(0)} with: ${(own / bare).toFixed(2)}`,
  );
  await maker.raw('delete from leads where external_id like ?', ['w%']);
}

async function throughput(): Promise<void> {
  const [{ count } = { count: 0 }] = await rowsOf<{ count: number }>(maker)`
    select (select count(*) from leads)::integer + (select count(*) from tickets)::integer
      + (select count(*) from conversations)::integer as count`;
  const used = async () =>
    (await processorMsOf(server.pid)) + (process.cpuUsage().user + process.cpuUsage().system) / 1_000;
  const start = await used();
  const took = await indexAtOnce(maker);
  const peerUsed = (await used()) - start;
  await maker.raw('truncate search_records, search_outbox');
  for (const table of ['leads', 'tickets', 'conversations']) {
    await maker.raw(
      `insert into search_outbox (host_id, origin_table, origin_id, operation)
       select host_id, ?, id, 'INSERT' from ${table}`,
      [table],
    );
  }
  const filled = await used();
  const startedAt = performance.now();
  const indexer = await startIndexer({ databaseUrl: url, appEnv: 'production' }, log);
  while ((await pending()) > 0) await delay(20);
  const own = performance.now() - startedAt;
  const ownUsed = (await used()) - filled;
  await indexer.close();
  // The statement runs on one core and the pipeline on several, so the processor time of a record tells their real cost.
  const cost = (ms: number) => `${((ms * 1_000) / count).toFixed(0)} µs`;
  const speed = (ms: number) => (count / (ms / 1_000)).toFixed(0);
  console.log(
    `records indexed a second: ${speed(took)} by one statement, ${speed(own)} by the pipeline: ${(took / own).toFixed(2)}; ` +
      `processor time of a record: ${cost(peerUsed)} and ${cost(ownUsed)}: ${(ownUsed / peerUsed).toFixed(2)}`,
  );
}

async function freshness(hostId: string): Promise<void> {
  const indexer = await startIndexer({ databaseUrl: url, appEnv: 'production' }, log);
  await delay(500);
  const startedAt = performance.now();
  const writing: Promise<void>[] = [];
  for (let at = 0; at < seconds * perSecond; at += 1) {
    const wait = startedAt + (at / perSecond) * 1_000 - performance.now();
    if (wait > 1) await delay(wait);
    writing.push(insertLead(db, hostId, 1_000_000 + at));
  }
  await Promise.all(writing);
  while ((await pending()) > 0) await delay(20);
  await indexer.close();
  const [seen] = await rowsOf<{ p50: number; p99: number; worst: number; count: number }>(maker)`
    select count(*)::integer as count, percentile_cont(0.5) within group (order by late) as p50,
      percentile_cont(0.99) within group (order by late) as p99, max(late) as worst
    from (
      select extract(epoch from record.indexed_at - lead.created_at)::float8 * 1000 as late
      from leads lead join search_records record on record.host_id = lead.host_id and record.origin_id = lead.id
      where lead.external_id like 'w%'
    ) lag`;
  const { count = 0, p50 = 0, p99 = 0, worst = 0 } = seen ?? {};
  console.log(
    `written to being indexed, ${perSecond} writes a second (${count}): p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ` +
      `worst ${worst.toFixed(0)} ms; the flush interval is ${FLUSH_MS} ms`,
  );
}

async function insertLead(db: Db, hostId: string, at: number): Promise<void> {
  await rowsOf(db)`
    insert into leads (host_id, kind, external_id, firstname, lastname, email, dealname, arrived_at)
    values (${hostId}, 'deals', ${`w${at} ${performance.now()}`}, 'Joana', 'Prado', 'joana@exemplo.com',
      'Matrícula em Direito no polo da cidade', now())`;
}

async function pending(): Promise<number> {
  const [outbox] = await rowsOf<{ count: number }>(
    maker,
  )`select count(*)::integer as count from search_outbox`;
  return outbox?.count ?? 0;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
