import { expect } from 'chai';
import { connect, type Db } from '../../db/connection.ts';
import { searchFulltext, searchHybrid } from '../../db/search-queries.ts';
import { withHosts } from '../../db/with-hosts.ts';
import { searchQueryOf } from '../../workers/domain/search-query.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { indexAtOnce, makeRecords, plainScores } from '../support/made-up-records.ts';

/* So many that more than four thousand of one host hold the commonest words: only then are candidates left out. */
const RECORDS = 12_000;
const queries = [
  'matrícula',
  'boleto',
  'vestibular',
  'hotel',
  'matrícula boleto',
  'curso de alunos',
  'aluno matrícula',
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
    this.timeout(60_000);
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

  for (const query of queries) {
    it(`“${query}” finds what the formula alone would put first`, async () => {
      for (const ids of [hostIds.slice(0, 1), hostIds]) {
        const best = sum(await plainScores(maker, query, ids));
        const { hits } = await withHosts(database.db, ids, scope =>
          searchHybrid(scope, searchQueryOf(query), { limit: 30, offset: 0 }),
        );
        expect(hits).to.have.length(30);
        expect(sum(hits.map(({ score }) => score))).to.be.at.least(0.98 * best);
      }
    });
  }

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
    expect(common.total).to.be.within(0.6 * (rows[0]?.common ?? 0), 1.4 * (rows[0]?.common ?? 0));
    const rare = await totalOf('nuvem hotel férias');
    expect([rare.isEstimate, rare.total]).to.deep.equal([false, rows[0]?.rare]);
  });
});
