import { expect } from 'chai';
import pino from 'pino';
import { rowsOf } from '../../db/rows-of.ts';
import { type Indexer, startIndexer } from '../../workers/indexer/start.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { insertRecord } from '../support/searched-records.ts';

const MARKS = `a${'\u0301'.repeat(32_000)}${'\u0316'.repeat(32_000)}`;

describe('a record that cannot be indexed', () => {
  const database = openOnce(makeDatabase);
  let indexer: Indexer | undefined;
  const lines: string[] = [];
  before(async () => {
    await database.db.raw(`create function refuse() returns trigger language plpgsql as $$
      begin
        if new.content like 'bad%' then raise 'refused'; end if;
        -- A statement for several records has more time than one for a single record: as if it were over.
        if new.content like 'slow%' and current_setting('statement_timeout') = '5s' then
          raise query_canceled; end if;
        if new.content like 'slow%' then perform pg_sleep(60); end if;
        return new;
      end $$;
      create trigger refuse before insert or update on search_records for each row execute function refuse()`);
  });
  afterEach(async () => {
    await indexer?.close();
    indexer = undefined;
  });

  const start = async () => {
    const pipelineLimits = { flushMs: 60, backOffMs: 1 };
    const settings = { databaseUrl: database.url, appEnv: 'production', pipelineLimits } as const;
    indexer = await startIndexer(settings, pino({}, { write: line => lines.push(line) }));
  };
  const isIndexed = async (id: string) =>
    (await rowsOf(database.db)`select from search_records where origin_id = ${id}`).length > 0;

  it('keeps no record of another host from the index, and its line does not come again for ever', async () => {
    const { db } = database;
    const [one, other] = [(await buildHost(db)).hostId, (await buildHost(db)).hostId];
    const marks = await insertRecord(db, one, 'tickets', { subject: 'marks', content: MARKS });
    const slow = await insertRecord(db, one, 'tickets', { subject: 'slow' });
    const bad = await insertRecord(db, one, 'tickets', { subject: 'bad' });
    const good = await insertRecord(db, other, 'tickets', { subject: 'bolsa' });
    await start();
    await eventually(() => isIndexed(good), Boolean);
    await eventually(() => isIndexed(marks), Boolean);
    await rowsOf(db)`update search_outbox set attempts = 9 where origin_id = ${slow}`;
    const later = await insertRecord(db, other, 'tickets', { subject: 'prazo' });
    await eventually(() => isIndexed(later), Boolean);
    await eventually(() => rowsOf(db)`select origin_id, attempts from search_outbox`, { length: 0 });
    const failures = lines
      .map(line => JSON.parse(line))
      .filter(({ event }) => event === 'search.record_failed');
    const ofBad = failures.filter(({ id }) => id === bad);
    expect(ofBad.map(({ attempts }) => attempts)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(ofBad.at(-1)).to.include({ table: 'tickets', isSetAside: true, reason: 'refused P0001' });
    expect(lines.join('')).not.to.match(/insert into|select /);
  });
});

describe('the text that is searched', () => {
  const database = openOnce(makeDatabase);

  const searchText = async (text: string) =>
    (await rowsOf<{ text: string }>(database.db)`select search_text(${text}) as text`)[0]?.text;

  it('is composed in words of any script, also beside a run of marks without end', async () => {
    const decomposed = 'Não há ações, Çelik Ünal, Việt Nam; Ёлка и чай'.normalize('NFD');
    const wanted = 'não há ações çelik ünal việt nam ёлка и чай';
    expect(await searchText(decomposed)).to.equal(wanted);
    expect(await searchText(`${decomposed} ${'漢'.repeat(100)}`)).to.equal(`${wanted} ${'漢'.repeat(100)}`);
    expect(await searchText(`${decomposed} ${MARKS}`)).to.match(new RegExp(`^${wanted} á`));
  });

  it('takes a time that grows no faster than a run of marks', async () => {
    const msFor = async (marks: number) => {
      const text = `a${'\u0301'.repeat(marks / 2)}${'\u0316'.repeat(marks / 2)}`;
      const startedAt = performance.now();
      await searchText(text);
      return performance.now() - startedAt;
    };
    // The least of many, in turn: a busy machine delays some of each.
    let [few, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let tries = 0; tries < 8; tries += 1) {
      few = Math.min(few, await msFor(4_000));
      many = Math.min(many, await msFor(64_000));
    }
    expect(many).to.be.below(few * 16 * 5);
  });
});
