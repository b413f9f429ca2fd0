import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { createHost } from '../../db/hosts/hosts.ts';
import { erasePerson } from '../../db/person/erase-person.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { searchHybrid } from '../../db/search/queries.ts';
import { indexRecords } from '../../db/search/records.ts';
import { withHosts } from '../../db/with-hosts.ts';
import { makeLog } from '../../platform/log.ts';
import { cpfAndPhoneIn } from '../../workers/domain/search/cpf-and-phone.ts';
import { type MaintenanceParts, reconcile } from '../../workers/indexer/maintenance.ts';
import { limitsOf } from '../../workers/indexer/pipeline-limits.ts';
import { makeDatabase } from '../support/database.ts';
import { openEach } from '../support/opened.ts';
import { insertIndexedRecord, insertRecord } from '../support/searched-records.ts';
import { runIn } from '../support/statements.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

const EMAIL = 'canario.zenobio@exemplo.test';
const WORD = 'ornitorrinco';
const MISSPELT = 'ornitorinco';
/** Each is at least as similar to the misspelt word as the right one. */
const decoys = 'abcdefgh'.split('').map(letter => `${MISSPELT}${letter}`);

describe('the words that misspelt ones are compared with', () => {
  const database = openEach(makeDatabase);
  const { db } = database;
  let own: string;
  let other: string;
  beforeEach(async () => {
    const makeHost = async (slug: string) => (await createHost(db, { slug, name: slug }))?.id ?? '';
    [own, other] = [await makeHost('own'), await makeHost('other')];
  });

  const record = (hostId: string, subject: string) => insertIndexedRecord(db, hostId, 'tickets', { subject });
  const found = async (hostIds: readonly string[], query = MISSPELT) => {
    const page = await withHosts(db, hostIds, scope =>
      searchHybrid(scope, cpfAndPhoneIn(query), { limit: 30, offset: 0 }),
    );
    return page.hits.map(({ title }) => title).toSorted();
  };
  const wordsOf = (host_id: string) =>
    db('search_host_words').where({ host_id }).orderBy('word').pluck('word');
  const reconcileOnce = (more: Partial<MaintenanceParts> = {}) =>
    reconcile({
      db,
      databaseUrl: database.url,
      limits: limitsOf.production,
      log: makeLog('test', 'silent'),
      stop: new AbortController().signal,
      lookedAt: new Map(),
      ...more,
    });
  const stemOf = async (word: string) => {
    const [row] = await rowsOf<{ stem: string }>(db)`select (search_words_of(${word}))[1] as stem`;
    return row?.stem ?? '';
  };
  const like = (hostIds: readonly string[], word = MISSPELT) =>
    withHosts(db, hostIds, async ({ tx }) => {
      // Like the functions that call it.
      await runIn(tx, 'reset role');
      const [row] = await rowsOf<{ words: string[] }>(tx)`select search_words_like(${[word]}) as words`;
      return row?.words ?? [];
    });

  it('are the host’s own: whether another has a word changes nothing that is found', async () => {
    for (const word of [...decoys.slice(0, 7), WORD]) await record(own, word);
    const before = await found([own]);
    expect(before).to.include(WORD);
    for (const word of [...decoys, MISSPELT]) await record(other, word);
    expect(await found([own])).to.deep.equal(before);
    expect(await like([own])).to.not.include(await stemOf(decoys[7] ?? ''));
  });

  it('of one host crowd out no other’s, also where both are searched', async () => {
    await record(own, WORD);
    for (const word of decoys) await record(other, word);
    expect(await found([own])).to.deep.equal([WORD]);
    expect(await found([own, other])).to.include(WORD);
    expect((await like([own, other])).slice(0, 2)).to.include(await stemOf(WORD));
  });

  it('stay in the list for a record that is indexed while a person is erased whose records have them, too', async () => {
    await insertIndexedRecord(db, own, 'tickets', { subject: WORD, email: EMAIL });
    const originId = await insertRecord(db, own, 'tickets', { subject: WORD });
    const gate = new EventEmitter();
    const begun = once(gate, 'begun');
    const also = async (tx: unknown) => {
      gate.emit('begun', tx);
      await once(gate, 'released');
    };
    const indexing = indexRecords(db, [{ hostId: own, originTable: 'tickets', originId }], { also });
    const [holder] = await begun;
    const erasing = erasePerson(db, own, EMAIL);
    await Promise.race([waitForLock(holder), erasing]);
    gate.emit('released');
    await Promise.all([indexing, erasing]);
    expect(await wordsOf(own)).to.deep.equal([await stemOf(WORD)]);
  });

  it('leave the list with the next reconciliation where the index still had them when a person was erased', async () => {
    await insertIndexedRecord(db, own, 'tickets', { subject: WORD, email: EMAIL });
    const changed = await record(own, WORD);
    await db('tickets').where({ id: changed }).update({ subject: 'papagaio' });
    await erasePerson(db, own, EMAIL);
    expect(await wordsOf(own)).to.deep.equal([await stemOf(WORD)]);
    await reconcileOnce();
    // It leaves records with a line in the outbox to the pipeline.
    expect(await wordsOf(own)).to.deep.equal([await stemOf(WORD)]);
    await indexRecords(db, [{ hostId: own, originTable: 'tickets', originId: changed }]);
    await reconcileOnce();
    expect(await wordsOf(own)).to.deep.equal([await stemOf('papagaio')]);
  });

  it('leave the lists in turn over the hosts where one reconciliation has no time for all', async () => {
    for (const host_id of [own, other])
      await db('search_host_words').insert(['a', 'b'].map(word => ({ host_id, word })));
    const parts = { limits: { ...limitsOf.production, reconcileEveryMs: 0 }, lookedAt: new Map() };
    const left = async () => (await wordsOf(own)).length + (await wordsOf(other)).length;
    await reconcileOnce(parts);
    expect(await left()).to.equal(2);
    await reconcileOnce(parts);
    expect(await left()).to.equal(0);
  });

  it('are all that are alike enough, whichever of their letters are other ones', async () => {
    const words = 'matricula atricula matriculas matriculado rematricula matrimonio boleto'.split(' ');
    for (const word of words) await record(own, word);
    const asked = 'matricla atricula matriculla xmatricula matr mat boletos bolet zzz'.split(' ');
    const exact = await rowsOf<{ given: string; words: string[] }>(db)`
      select given, array(select word from search_host_words where similarity(word, given) >= 0.35::real order by 1) as words
      from unnest(${asked}::text[]) given`;
    for (const { given, words: wanted } of exact)
      expect((await like([own], given)).toSorted(), given).to.deep.equal(wanted);
  });

  it('go with an erased person, those of earlier versions too, and those of others stay', async () => {
    const email = 'canario@exemplo.test';
    const id = await insertIndexedRecord(db, own, 'tickets', { subject: 'papagaioverde boleto', email });
    await db('tickets').where({ id }).update({ subject: 'periquito boleto' });
    await indexRecords(db, [{ hostId: own, originTable: 'tickets', originId: id }]);
    await record(own, 'boleto vencido');
    await record(other, 'papagaioverde');
    const stems = (words: string[]) => Promise.all(words.map(stemOf));
    const said = await stems(['papagaioverde', 'periquito', 'boleto', 'vencido']);
    expect(await wordsOf(own)).to.include.members(said);
    await erasePerson(db, own, email);
    expect(await wordsOf(own)).to.deep.equal(await stems(['boleto', 'vencido']));
    expect(await wordsOf(other)).to.deep.equal(await stems(['papagaioverde']));
  });

  it('are kept in no list that hosts share', async () => {
    const tables = await rowsOf<{ name: string; hasHost: boolean }>(db)`
      select table_name as name, bool_or(column_name = 'host_id') as "hasHost" from information_schema.columns
      where table_schema = 'public' group by 1 having bool_or(column_name = 'word') order by 1`;
    expect(tables.map(({ name }) => name)).to.include.members(['chunk_words', 'search_host_words']);
    expect(tables.filter(({ hasHost }) => !hasHost)).to.deep.equal([]);
  });
});
