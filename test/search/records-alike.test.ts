import { expect } from 'chai';
import { connect } from '../../db/connection.ts';
import { createHost } from '../../db/hosts/hosts.ts';
import { type SearchPage, searchFulltext, searchHybrid } from '../../db/search/queries.ts';
import { type HostsScope, withHosts } from '../../db/with-hosts.ts';
import { cpfAndPhoneIn } from '../../workers/domain/search/cpf-and-phone.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { indexAtOnce } from './generated-records.ts';

/* Several times what is read for the first page: of records that rank the same, those that stand first in the table. */
const ALIKE = 2_500;
const SIDE_BY_SIDE = 30;

describe('among records with the same words equally often', () => {
  const database = openOnce(makeDatabase);
  const { db } = database;
  const maker = openOnce(() => connect(database.url, { max: 1, answerWithinMs: 60_000 }));
  let hostId: string;
  before(async () => {
    hostId = (await createHost(maker, { slug: 'alike', name: 'Alike' }))?.id ?? '';
    await insertTickets('zebra corre, girafa dorme, urso', ALIKE);
    await insertTickets('hoje a zebra girafa corre do urso', SIDE_BY_SIDE);
    await insertTickets('hoje zebra girafa urso', SIDE_BY_SIDE);
    await indexAtOnce(maker);
  });

  /** Of those that rank the same, a page shows the newest first: they stand anywhere in the table. */
  const insertTickets = async (content: string, count: number) => {
    await maker.raw(
      `insert into tickets (host_id, kind, external_id, content, updated_at)
       select :hostId, 'tickets', known + at, :content, to_timestamp(hashint8(known + at) / 2)
       from (select count(*) as known from tickets) known_ticket, generate_series(1, :count) at`,
      { hostId, content, count },
    );
  };
  const inHost = <T>(ask: (scope: HostsScope) => Promise<T>) => withHosts(db, [hostId], ask);
  const hybridPage = (query: string, offset: number, limit = 100) =>
    inHost(scope => searchHybrid(scope, cpfAndPhoneIn(query), { limit, offset }));
  const fulltextPage = (query: string, offset: number) =>
    inHost(scope => searchFulltext(scope, { query, cpf: undefined }, { limit: 100, offset }));

  const pages: Record<string, (offset: number) => Promise<SearchPage>> = {
    'full text': offset => fulltextPage('urso', offset),
    'words and letters': offset => hybridPage('urso', offset),
  };
  for (const [by, page] of Object.entries(pages))
    it(`a later page of a search by ${by} shows nothing that an earlier one has shown`, async () => {
      const shown: string[] = [];
      for (let offset = 0; offset < 500; offset += 100) {
        const { hits } = await page(offset);
        shown.push(...hits.map(({ originId }) => originId));
      }
      expect(shown).to.have.length(500);
      expect(new Set(shown).size).to.equal(500);
    });

  const parts = {
    'zebra girafa': 'zebra girafa',
    'zebra girafa urso': 'zebra girafa urso',
    'urso zebra girafa': 'zebra girafa',
  };
  for (const [query, part] of Object.entries(parts))
    it(`“${query}” finds first those that have “${part}” side by side`, async () => {
      const { hits } = await hybridPage(query, 0, SIDE_BY_SIDE);
      expect(hits).to.have.length(SIDE_BY_SIDE);
      expect(hits.filter(({ original }) => !original.includes(part))).to.deep.equal([]);
    });
});
