import { expect } from 'chai';
import pino from 'pino';
import { connect } from '../../db/connection.ts';
import { createHost } from '../../db/hosts/hosts.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { indexRecords } from '../../db/search/records.ts';
import { reconcileTable } from '../../workers/indexer/reconcile.ts';
import { assertDefined } from '../support/assert-defined.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { insertIndexedRecord, insertRecord } from '../support/searched-records.ts';

describe('a reconciliation of the search index', () => {
  const database = openOnce(makeDatabase);
  const db = openOnce(() => connect(database.url, { statementTimeoutMs: 300 }));
  let calm: string;
  let other: string;
  const lines: string[] = [];
  before(async () => {
    // A title stands for a text that cannot be compared, or that takes long.
    await database.db.raw(`create or replace function search_hash(title text, original text, phone text, updated_at timestamptz)
      returns bigint language plpgsql immutable parallel safe as $$
      begin
        if title = 'broken' then raise 'broken'; end if;
        if title = 'slow' then perform pg_sleep(0.03); end if;
        return hashtextextended(concat_ws(chr(31), title, original), 0);
      end $$`);
    const makeHost = async (slug: string) =>
      assertDefined(await createHost(database.db, { slug, name: slug })).id;
    [calm, other] = [await makeHost('calm'), await makeHost('other')];
  });
  beforeEach(async () => {
    lines.length = 0;
    await database.db('tickets').delete();
    await database.db('search_outbox').delete();
  });

  const addTickets = async (hostId: string, subject: string, count: number) => {
    for (let at = 0; at < count; at += 1) await insertRecord(database.db, hostId, 'tickets', { subject });
    await database.db('search_outbox').delete();
  };
  const reconcile = (...hostIds: string[]) =>
    reconcileTable(
      { hostIds, table: 'tickets', repair: 'different', pageSize: 500, confirmOrphans: false },
      { db, log: pino({}, { write: line => lines.push(line) }), stop: new AbortController().signal },
    );
  const indexed = async (hostId: string) =>
    (await rowsOf(database.db)`select from search_records where host_id = ${hostId}`).length;

  it('keeps a record that is indexed again without a change', async () => {
    const originId = await insertIndexedRecord(database.db, calm, 'tickets', { subject: 'bolsa' });
    const before = await indexed(calm);
    await indexRecords(database.db, [{ hostId: calm, originTable: 'tickets', originId }]);
    expect(await indexed(calm)).to.equal(before);
  });

  it('repairs the records of other hosts where those of one cannot be compared', async () => {
    await addTickets(other, 'broken', 1);
    await addTickets(calm, 'bolsa', 2);
    const result = await reconcile(other, calm);
    expect(result?.found).to.have.length(1);
    expect(result?.found[0]).to.deep.include({ hostId: calm, source: 2, missing: 2, repaired: 2 });
    expect(await indexed(calm)).to.equal(2);
    expect(lines.map(line => JSON.parse(line))).to.have.length(1);
    expect(JSON.parse(lines[0] ?? '')).to.include({ event: 'search.maintenance_failed', hostId: other });
  });

  it('fails where its only host cannot be compared, so that what was ordered is not done', async () => {
    await addTickets(other, 'broken', 1);
    const failed = await reconcile(other).catch((error: Error) => error.message);
    expect(failed).to.match(/broken$/);
  });

  it('compares fewer records at a time where many take too long', async () => {
    await addTickets(other, 'slow', 12);
    const result = await reconcile(other);
    expect(result?.found[0]).to.deep.include({ source: 12, missing: 12 });
  });
});
