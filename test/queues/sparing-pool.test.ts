import { expect } from 'chai';
import { makeSparingPool } from '../../queues/transport/postgres/backend.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

const max = 6;
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('a sparing pool', () => {
  const database = openOnce(() => makeDatabase('empty'));

  const withPool = async (work: (pool: ReturnType<typeof makeSparingPool>) => Promise<void>) => {
    const pool = makeSparingPool({ connectionString: database.url, max });
    try {
      await work(pool);
    } finally {
      await pool.end();
    }
  };

  it('opens no connection while another is being opened', () =>
    withPool(async pool => {
      const opening: number[] = [];
      const statements = times(max, async () => {
        const answered = pool.query('select 1');
        opening.push(pool.totalCount);
        await answered;
      });
      await Promise.all(statements);
      expect(opening).to.deep.equal(times(max, () => 1));
    }));

  it('opens as many as are kept at the same time, and no more than it may', () =>
    withPool(async pool => {
      const kept = await Promise.all(times(max, () => pool.connect()));
      expect(pool.totalCount).to.equal(max);
      const waiting = pool.query('select 2 as two');
      expect([pool.totalCount, pool.waitingCount]).to.deep.equal([max, 1]);
      kept.pop()?.release();
      expect((await waiting).rows).to.deep.equal([{ two: 2 }]);
      for (const client of kept) client.release();
    }));

  it('lets nobody wait for a connection that another keeps', () =>
    withPool(async pool => {
      const [kept, ...answers] = await Promise.all([
        pool.connect(),
        ...times(3, () => pool.query('select 1 as one')),
      ]);
      kept.release();
      expect(answers.map(({ rows }) => rows[0])).to.deep.equal(times(3, () => ({ one: 1 })));
    }));

  it('tells everybody who waits that the server refuses, and opens one again later', () =>
    withPool(async pool => {
      await pool.query('select 1');
      const kept = await pool.connect();
      Object.assign(pool.options, { connectionString: `${database.url}-not-there` });
      const refused = await Promise.allSettled(times(3, () => pool.query('select 1')));
      Object.assign(pool.options, { connectionString: database.url });
      kept.release();
      expect(refused.map(({ status }) => status)).to.deep.equal(times(3, () => 'rejected'));
      expect([pool.totalCount, pool.waitingCount]).to.deep.equal([1, 0]);
      expect((await pool.query('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
    }));

  it('ends while it opens a connection that several wait for', async () => {
    const pool = makeSparingPool({ connectionString: database.url, max });
    for (const statement of times(3, () => pool.query('select 1'))) statement.catch(() => undefined);
    await pool.end();
    expect(pool.totalCount).to.equal(0);
  });
});
