import { expect } from 'chai';
import { rowsOf } from '../../db/rows-of.ts';
import {
  claimEvents,
  deleteOutboxLines,
  postponeEvents,
  releaseEvents,
  type SearchEvent,
} from '../../db/search/outbox.ts';
import { makeLog } from '../../platform/log.ts';
import { Batcher } from '../../workers/indexer/batcher.ts';
import { flushBatch } from '../../workers/indexer/flush.ts';
import { limitsOf } from '../../workers/indexer/pipeline-limits.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { insertRecord } from '../support/searched-records.ts';

/* Records whose subject begins with `bad` cannot be indexed. */
describe('a batch', () => {
  const database = openOnce(makeDatabase);
  const host = openOnce(() => buildHost(database.db));
  before(async () => {
    await database.db.raw(`create function refuse() returns trigger language plpgsql as $$
      begin if new.content like 'bad%' then raise 'refused'; end if; return new; end $$;
      create trigger refuse before insert or update on search_records for each row execute function refuse()`);
  });

  /** How many flushes had failures, and how many events were postponed. */
  async function flushed(subjects: readonly string[], attempts = 0) {
    const { db } = database;
    await rowsOf(db)`delete from search_outbox`;
    for (const subject of subjects) await insertRecord(db, host.hostId, 'tickets', { subject });
    if (attempts > 0) {
      await rowsOf(db)`
        update search_outbox set attempts = ${attempts} where origin_id in (select id from tickets where subject ~ '^bad')`;
    }
    await rowsOf(db)`update search_pipeline set failed = 0`;
    const batcher = new Batcher<SearchEvent>({ batchSize: 200, flushMs: 0 });
    batcher.add(await claimEvents(db, 200), 0);
    const limits = { ...limitsOf.production, backOffMs: 1 };
    const stop = new AbortController().signal;
    await flushBatch(batcher.take(1) ?? [], { db, limits, stop, log: makeLog('test', 'silent') });
    const [line] = await rowsOf<{ failed: number }>(db)`
      select failed::integer from search_pipeline`;
    return {
      failed: line?.failed,
      waiting: (await rowsOf(db)`select from search_outbox where attempts > ${attempts}`).length,
    };
  }
  const some = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name} ${at}`);

  it('with four in five that fail puts those back at once, and has indexed the others', async () => {
    expect(await flushed([...some(8, 'bad'), ...some(2, 'good')])).to.deep.equal({ failed: 8, waiting: 8 });
  });

  it('with more that fail is tried again as a whole before anything else', async () => {
    expect(await flushed([...some(9, 'bad'), 'good'])).to.deep.equal({ failed: 5 * 9, waiting: 9 });
  });

  it('does not keep the others waiting for records that have failed before', async () => {
    expect(await flushed(some(3, 'bad'), 2)).to.deep.equal({ failed: 3, waiting: 3 });
    expect(await flushed([...some(9, 'bad'), 'good'], 2)).to.deep.equal({ failed: 9, waiting: 9 });
  });
});

describe('the lines of the outbox', () => {
  const database = openOnce(makeDatabase);

  const countOf = async (hostId: string) =>
    (await rowsOf(database.db)`select from search_outbox where host_id = ${hostId}`).length;

  it('of a host with many do not delay those of another, and each is claimed once', async () => {
    const { db } = database;
    const [many, few] = [await buildHost(db), await buildHost(db)];
    for (let at = 0; at < 30; at += 1) await insertRecord(db, many.hostId, 'tickets', { subject: `m${at}` });
    await insertRecord(db, few.hostId, 'tickets', { subject: 'f' });
    const all = (await countOf(many.hostId)) + (await countOf(few.hostId));
    const first = await claimEvents(db, 10);
    expect(first.some(({ hostId }) => hostId === few.hostId)).to.equal(true);
    const [second, third] = await Promise.all([claimEvents(db, 100), claimEvents(db, 100)]);
    const seqs = [...first, ...second, ...third].map(({ seq }) => seq);
    expect([seqs.length, new Set(seqs).size]).to.deep.equal([all, all]);
    await rowsOf(db)`delete from search_outbox`;
  });

  it('are one for each record of a contact, however often it changes, and another after that is claimed', async () => {
    const { db } = database;
    const { hostId } = await buildHost(db);
    const [contact] = await rowsOf<{ id: string }>(db)`
      insert into contacts (host_id, name, email) values (${hostId}, 'Ana', 'ana@example.com') returning id`;
    for (let at = 0; at < 3; at += 1) {
      const id = await insertRecord(db, hostId, 'tickets', { subject: `t${at}` });
      await rowsOf(db)`update tickets set contact_id = ${contact?.id ?? ''} where id = ${id}`;
    }
    await rowsOf(db)`delete from search_outbox`;
    const rename = (name: string) => rowsOf(db)`update contacts set name = ${name} where host_id = ${hostId}`;
    await rename('Bia');
    const once = await countOf(hostId);
    expect(once).to.be.at.least(3);
    for (const name of ['Eva', 'Rui']) await rename(name);
    expect(await countOf(hostId)).to.equal(once);
    await claimEvents(db, 10);
    await rename('Lia');
    expect(await countOf(hostId)).to.equal(2 * once);
  });

  it('that a new leader released stay, although whoever had claimed them has indexed their records', async () => {
    const { db } = database;
    await rowsOf(db)`delete from search_outbox`;
    const { hostId } = await buildHost(db);
    await insertRecord(db, hostId, 'tickets', { subject: 't' });
    const before = await countOf(hostId);
    const claimed = await claimEvents(db, 10);
    await releaseEvents(db);
    await deleteOutboxLines(
      db,
      claimed.map(({ seq }) => seq),
    );
    expect(await countOf(hostId)).to.equal(before);
    expect(await claimEvents(db, 10)).to.have.length(claimed.length);
  });

  it('of a change that is not committed yet are claimed after it', async () => {
    const { db } = database;
    await rowsOf(db)`delete from search_outbox`;
    const { hostId } = await buildHost(db);
    const [contact] = await rowsOf<{ id: string }>(db)`
      insert into contacts (host_id, name, email) values (${hostId}, 'Ana', 'ana@example.com') returning id`;
    const id = await insertRecord(db, hostId, 'tickets', { subject: 't' });
    await rowsOf(db)`update tickets set contact_id = ${contact?.id ?? ''} where id = ${id}`;
    await rowsOf(db)`delete from search_outbox`;
    await rowsOf(db)`update contacts set name = 'Bia' where host_id = ${hostId}`;
    const change = await db.transaction();
    await change.raw(`update contacts set name = 'Eva' where host_id = ?`, [hostId]);
    const claimed = async () => (await claimEvents(db, 10)).filter(({ originId }) => originId === id).length;
    expect(await claimed()).to.equal(0);
    await change.commit();
    expect(await claimed()).to.equal(1);
  });

  it('of a record that failed are not claimed before their time, and then with one attempt more', async () => {
    const { db } = database;
    await rowsOf(db)`delete from search_outbox`;
    const { hostId } = await buildHost(db);
    await rowsOf(db)`delete from search_outbox`;
    const id = await insertRecord(db, hostId, 'tickets', { subject: 't' });
    const first = await claimEvents(db, 10);
    expect(first.map(({ originId, attempts }) => [originId, attempts])).to.deep.equal([[id, 0]]);
    await postponeEvents(
      db,
      first.map(({ seq }) => seq),
      60_000,
    );
    expect(await claimEvents(db, 10)).to.deep.equal([]);
    await rowsOf(db)`update search_outbox set not_before = not_before - interval '1 minute'`;
    const second = await claimEvents(db, 10);
    expect(second.map(({ originId, attempts }) => [originId, attempts])).to.deep.equal([[id, 1]]);
  });
});
