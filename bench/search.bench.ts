import { parseArgs } from 'node:util';
import { connect, type Db } from '../db/connection.ts';
import { ensureDatabase, startEmbedded } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';
import { type SearchPage, searchFulltext, searchHybrid, searchPhones } from '../db/search/queries.ts';
import { type HostsScope, withHosts } from '../db/with-hosts.ts';
import { fieldWords, indexAtOnce, makeRecords, plainScores } from '../test/search/generated-records.ts';
import { cpfAndPhoneIn } from '../workers/domain/search/cpf-and-phone.ts';
import { makeFolder } from './stores.bench.ts';

/*
 * The searches over this many generated records: their time in the database, for one host and for all; the share of
 * the score of the exact first thirty that the bounded candidates reach; and the same formula as one statement.
 */

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '50000' },
    hosts: { type: 'string', default: '20' },
    queries: { type: 'string', default: '200' },
    exact: { type: 'string', default: '12' },
  },
});
const [records, hosts, queries, exact] = [values.records, values.hosts, values.queries, values.exact].map(
  Number,
) as [number, number, number, number];
type Search = (scope: HostsScope, query: string) => Promise<SearchPage>;
const first = { limit: 30, offset: 0 };
const common = fieldWords.slice(0, 12);
const hybrid: Search = (scope, query) => searchHybrid(scope, cpfAndPhoneIn(query), first);

const folder = await makeFolder();
const server = await startEmbedded(folder.path, {
  settings: {
    shared_buffers: '2GB',
    max_wal_size: '8GB',
    maintenance_work_mem: '512MB',
    synchronous_commit: 'off',
  },
});
const url = await ensureDatabase(server.url, 'bench');
const maker = connect(url, { max: 1, answerWithinMs: 3_600_000 });
const db = connect(url, { max: 2, answerWithinMs: 600_000 });
try {
  await migrate(maker);
  let startedAt = performance.now();
  const hostIds = await makeRecords(maker, records, hosts);
  console.log(`${records} records of ${hosts} hosts, made in ${secondsSince(startedAt)} s`);
  startedAt = performance.now();
  // Without this, inserting them would take half an hour.
  await maker.raw('alter index search_records_keys set (fastupdate = on)');
  const took = await indexAtOnce(maker);
  await maker.raw('alter index search_records_keys set (fastupdate = off)');
  console.log(`indexed by one statement a table: ${Math.round(records / (took / 1_000))} records a second`);
  // The first host has the most records.
  for (const [name, ids] of [
    ['the largest host', hostIds.slice(0, 1)],
    ['all hosts', hostIds],
  ] as const) {
    console.log(name);
    await measure(db, ids);
  }
} finally {
  await maker.destroy();
  await db.destroy();
  await server.stop();
  await folder.remove();
}

async function measure(db: Db, ids: readonly string[]): Promise<void> {
  const drawn = Array.from({ length: queries }, (_, at) => queryOf(at));
  const all = (asked: readonly string[], search: Search) =>
    timeQueries(asked, query => withHosts(db, ids, scope => search(scope, query)));
  await all(drawn, hybrid);
  say('hybrid', await all(drawn, hybrid));
  say('hybrid, common words', await all(common, hybrid));
  const fulltext: Search = (scope, query) => searchFulltext(scope, { query, cpf: undefined }, first);
  say('full text', await all(drawn, fulltext));
  for (const kind of ['exact', 'suffix', 'partial'] as const) {
    const phones: Search = (scope, digits) => searchPhones(scope, { digits, kind }, first);
    say(`phone, ${kind}`, await all(phonesAsked(kind), phones));
  }
  await compare(db, ids, [...drawn.slice(0, exact), ...common.slice(0, 4)]);
}

/**
 * Runs the same queries by the plain statement and by ours, both warm, and computes the share of the best scores that ours
 * reaches.
 */
async function compare(db: Db, ids: readonly string[], asked: readonly string[]): Promise<void> {
  const sum = (scores: readonly number[]) => scores.reduce((total, score) => total + score, 0);
  const exactly = new Map<string, number>();
  const plainly = () =>
    timeQueries(asked, async query => {
      exactly.set(query, sum(await plainScores(maker, query, ids)));
    });
  const own = () => timeQueries(asked, query => withHosts(db, ids, scope => hybrid(scope, query)));
  await plainly();
  say('the plain formula', await plainly());
  await own();
  say('hybrid, the same queries', await own());
  const kept: number[] = [];
  for (const [query, best] of exactly) {
    const { hits } = await withHosts(db, ids, scope => hybrid(scope, query));
    const share = best === 0 ? 1 : Math.min(sum(hits.map(({ score }) => score)) / best, 1);
    kept.push(share);
    if (share < 0.98) console.log(`    ${query}: ${share.toFixed(3)}`);
  }
  console.log(
    `  of its score kept: least ${Math.min(...kept).toFixed(3)}, mean ${(sum(kept) / kept.length).toFixed(4)}`,
  );
}

function phonesAsked(kind: 'exact' | 'suffix' | 'partial'): string[] {
  const phones = Array.from(
    { length: queries },
    (_, at) => `1196${String(1_000_003 * (at + 1)).slice(0, 7)}`,
  );
  if (kind === 'exact') return phones;
  return phones.map(phone => phone.slice(kind === 'suffix' ? -8 : -6));
}

/** Common and rare words, one to four at a time. */
function queryOf(at: number): string {
  const draw = (salt: number) =>
    fieldWords[Math.floor((((at * 7919 + salt * 104_729) % 9_973) / 9_973) * fieldWords.length)];
  return Array.from({ length: 1 + (at % 4) }, (_, salt) => draw(salt + 1)).join(' ');
}

async function timeQueries(asked: readonly string[], ask: (query: string) => Promise<unknown>) {
  const latencies: number[] = [];
  for (const query of asked) {
    const startedAt = performance.now();
    await ask(query);
    latencies.push(performance.now() - startedAt);
  }
  latencies.sort((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(Math.floor(latencies.length * share), latencies.length - 1)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

function say(what: string, { p50, p99 }: { p50: number; p99: number }): void {
  console.log(`  ${what.padEnd(36)} p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms`);
}

function secondsSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 1_000).toFixed(0);
}
