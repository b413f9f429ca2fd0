import { expect } from 'chai';
import { connect, type Db } from '../../db/connection.ts';
import { type SearchPage, searchFulltext, searchHybrid, searchPhones } from '../../db/search/queries.ts';
import { indexRecords } from '../../db/search/records.ts';
import { type HostsScope, withHosts } from '../../db/with-hosts.ts';
import { cpfAndPhoneIn } from '../../workers/domain/search/cpf-and-phone.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { indexAtOnce, makeRecords, plainScores } from './generated-records.ts';

/*
 * Enough records that more than four thousand of one host contain the most common words: only then are candidates
 * left out.
 */
const RECORDS = 6_000;
const queries = [
  'matrícula',
  'hotel',
  'matrícula boleto',
  'curso de alunos',
  'boleto matrícula curso',
  'segunda via do boleto',
  'prova curso aluno matrícula',
  'nuvem calendário matrícula férias',
];
const sum = (scores: readonly number[]) => scores.reduce((total, score) => total + score, 0);

describe('among more records than can be compared', () => {
  let database: TestDatabase;
  let maker: Db;
  let hostIds: string[];
  before(async function () {
    this.timeout(180_000);
    database = await makeDatabase();
    maker = connect(database.url, { max: 1, answerWithinMs: 60_000 });
    await maker.raw('select setseed(0.5)');
    hostIds = await makeRecords(maker, RECORDS, 2);
    await indexAtOnce(maker);
  });
  after(async () => {
    await maker.destroy();
    await database.drop();
  });

  const inAll = <T>(ask: (scope: HostsScope) => Promise<T>) => withHosts(database.db, hostIds, ask);

  for (const query of queries)
    it(`“${query}” finds what the formula alone would put first`, async () => {
      for (const ids of [hostIds.slice(0, 1), hostIds]) {
        const best = sum(await plainScores(maker, query, ids));
        const { hits } = await withHosts(database.db, ids, scope =>
          searchHybrid(scope, cpfAndPhoneIn(query), { limit: 30, offset: 0 }),
        );
        expect(hits).to.have.length(30);
        expect(sum(hits.map(({ score }) => score))).to.be.at.least(0.98 * best);
      }
    });

  // More candidates are read for what comes after the first 160 by words, and after the first 1,000 by a phone.
  const pages: Record<string, readonly [until: number, page: (offset: number) => Promise<SearchPage>]> = {
    'all words': [
      500,
      offset =>
        inAll(scope => searchFulltext(scope, { query: 'curso', cpf: undefined }, { limit: 100, offset })),
    ],
    'words and letters': [
      500,
      offset =>
        inAll(scope => searchHybrid(scope, cpfAndPhoneIn('vestibular prova'), { limit: 100, offset })),
    ],
    'a part of a phone': [
      1_500,
      offset =>
        inAll(scope => searchPhones(scope, { digits: '5119', kind: 'partial' }, { limit: 100, offset })),
    ],
  };
  for (const [by, [until, page]] of Object.entries(pages))
    it(`no page of a search by ${by} repeats what another shows, and all tell one total`, async function () {
      this.timeout(180_000);
      const seen = new Set<string>();
      const { total } = await page(0);
      let shown = 0;
      for (let offset = 0; offset < until; offset += 100) {
        const { hits, total: again } = await page(offset);
        for (const { originId } of hits) seen.add(originId);
        shown += hits.length;
        expect(again).to.equal(total);
      }
      expect(shown).to.be.at.least((until * 2) / 3);
      expect(seen.size).to.equal(shown);
      await page(9_900);
    });

  it('texts of 64 KiB are compared where the words stand, and in time', async function () {
    this.timeout(180_000);
    const text = Array.from({ length: 9_000 }, (_, at) => `termo${at % 97}`).join(' ');
    const dialogue_summary = `${text.slice(0, 30_000)} o pagamento vencido da rematrícula ${text.slice(30_000, 65_000)}`;
    const hostId = hostIds[0] ?? '';
    const record = { host_id: hostId, user_name: 'Zilda', dialogue_summary };
    const written = await maker('conversations')
      .insert(Array.from({ length: 60 }, () => record))
      .returning('id');
    const originTable = 'conversations';
    await indexRecords(
      maker,
      written.map(({ id: originId }) => ({ hostId, originTable, originId })),
    );
    const ask = (query: string) =>
      inAll(scope => searchHybrid(scope, cpfAndPhoneIn(query), { limit: 60, offset: 0 }));
    const likenesses = async (query: string) => (await ask(query)).hits.map(({ content }) => content);
    expect(new Set(await likenesses('pagamento vencido da rematrícula'))).to.deep.equal(new Set([1]));
    expect(Math.min(...(await likenesses('rematrícula pagamento vencido')))).to.be.at.least(0.9);
    expect(await likenesses('zilda termo13')).to.have.length(60);
  });

  it('the total of a common word is an estimate, near what is there, and that of a rare one is exact', async () => {
    const totalOf = (query: string) =>
      withHosts(database.db, hostIds, scope =>
        searchFulltext(scope, { query, cpf: undefined }, { limit: 30, offset: 0 }),
      );
    const { rows } = await maker.raw<{ rows: { common: number; rare: number }[] }>(
      `select count(*) filter (where vector @@ all_words_query('matrícula'))::integer as common,
         count(*) filter (where vector @@ all_words_query('nuvem hotel férias'))::integer as rare
       from search_records`,
    );
    const common = await totalOf('matrícula');
    expect(common.isEstimate).to.equal(true);
    expect(common.total).to.be.within(0.3 * (rows[0]?.common ?? 0), 1.7 * (rows[0]?.common ?? 0));
    const rare = await totalOf('nuvem hotel férias');
    expect([rare.isEstimate, rare.total]).to.deep.equal([false, rows[0]?.rare]);
  });
});
