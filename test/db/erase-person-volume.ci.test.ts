import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { connect, type Db } from '../../db/connection.ts';
import { createHost } from '../../db/hosts/hosts.ts';
import { erasePerson } from '../../db/person/erase-person.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { lockRecords } from '../../db/search/records.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { insertIndexedRecord } from '../support/searched-records.ts';

const EMAIL = 'canario.zenobio@exemplo.test';
const OTHERS = 3_000;
/** PostgreSQL has room for some 6,400 locks as it is set by default. */
const RECORDS = 24_000;
const MAX_LOCKS = 1_100;

describe('erasing a person beside a host with many records', () => {
  let database: TestDatabase;
  let db: Db;
  let erasing: Db;
  beforeEach(async () => {
    database = await makeDatabase();
    db = database.db;
    erasing = connect(database.url, { max: 1, answerWithinMs: 50_000 });
  });
  afterEach(async () => {
    await erasing.destroy();
    await database.drop();
  });

  const hostOf = async (slug: string) => (await createHost(db, { slug, name: slug }))?.id ?? '';
  const lettersOf = (given: string) => `left(translate(md5(${given}), '0123456789', 'ghijklmnop'), 20)`;
  const fill = (hostId: string) =>
    db.raw(
      `insert into search_records
        (host_id, origin_table, origin_id, title, original, content, vector, updated_at, hash)
      select ?, 'tickets', gen_random_uuid(), '', word, word, search_vector(word), now(), 1
      from (select ${lettersOf('n::text')} as word from generate_series(1, ?::integer) n) words`,
      [hostId, OTHERS],
    );
  const wordsOf = async (count: number) => {
    const { rows } = await db.raw(
      `select string_agg(${lettersOf(`'own ' || n`)}, ' ') as words from generate_series(1, ?::integer) n`,
      [count],
    );
    return rows[0].words;
  };
  const rowsRead = async () => {
    const [row] = await rowsOf<{ read: number }>(db)`
      select (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_user_tables
      where relname = 'search_records'`;
    return row?.read ?? 0;
  };

  it('reads no more of the search index than the person’s host has there', async () => {
    const own = await hostOf('own');
    await fill(await hostOf('other'));
    await insertIndexedRecord(db, own, 'tickets', {
      external_id: '1',
      subject: 'papagaioverde',
      email: EMAIL,
    });
    await insertIndexedRecord(db, own, 'tickets', { external_id: '2', subject: await wordsOf(200) });
    await db.raw('analyze');
    await db.raw('select pg_stat_force_next_flush()');
    const before = await rowsRead();
    expect((await erasePerson(erasing, own, EMAIL)).rows['search_host_words']).to.be.above(0);
    await erasing.raw('select pg_stat_force_next_flush()');
    expect(await db('search_host_words').where({ host_id: own })).to.have.length(200);
    expect((await rowsRead()) - before).to.be.within(1, OTHERS / 4);
  });

  it('takes few locks, however many records the person has', async () => {
    const hostId = await hostOf('own');
    const keys = Array.from({ length: RECORDS }, () => ({
      hostId,
      originTable: 'tickets' as const,
      originId: randomUUID(),
    }));
    await db.transaction(async tx => {
      await lockRecords(tx, keys);
      const [held] = await rowsOf<{ count: number }>(tx)`
        select count(*)::integer as count from pg_locks where pid = pg_backend_pid()`;
      expect(held?.count).to.be.within(1, MAX_LOCKS);
    });
  });
});
