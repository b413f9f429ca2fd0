import { createPostgresBackend, type PostgresQueueBackend } from 'bullmq';
import { expect } from 'chai';
import pg from 'pg';
import { makePostgresCalls, StallChecks } from '../../queues/transport/postgres/calls.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { makePostgresQueueStore } from '../support/queue-store.ts';

describe('the stall check of a worker', () => {
  it('is for the queues of all workers of its process, which need none until the next', () => {
    const checks = new StallChecks();
    expect(checks.begin('a', 0)).to.deep.equal(['a']);
    // Not in the check before.
    expect(checks.begin('b', 100)).to.deep.equal(['a', 'b']);
    expect(checks.begin('a', 500)).to.deep.equal([]);
    expect(checks.begin('b', 600)).to.deep.equal(['a', 'b']);
  });

  it('is done by another where that worker has stopped, or has failed to', () => {
    const checks = new StallChecks();
    checks.begin('a', 0);
    checks.begin('b', 10);
    expect(checks.begin('a', 500)).to.deep.equal([]);
    expect(checks.begin('a', 1_000)).to.deep.equal(['a', 'b']);
    checks.forget();
    expect(checks.begin('b', 1_010)).to.deep.equal(['a', 'b']);
  });
});

describe('a check for several queues on PostgreSQL', () => {
  const store = openOnce(() => makePostgresQueueStore('empty'));
  const pool = openOnce(
    () => new pg.Pool({ connectionString: store.databaseUrl, options: '-c search_path=bullmq' }),
  );
  const libraries: PostgresQueueBackend[] = [];
  after(() => Promise.all([pool.end(), ...libraries.map(library => library.close())]));

  it('returns to each the jobs whose locks have expired, and wakes the workers of each', async () => {
    const checks = new StallChecks();
    const told: string[] = [];
    const callsOf = (queue: string) => {
      const library = createPostgresBackend(queue, { connection: { connectionString: store.databaseUrl } });
      libraries.push(library);
      return makePostgresCalls(library, { queue, checks, lockMs: 4_000, now: Date.now });
    };
    const [a, b, other] = [callsOf('a'), callsOf('b'), callsOf('other')];
    await a.recoverStalled?.();
    await b.recoverStalled?.();
    for (const calls of [a, b, other]) {
      await calls.add([{ id: 'job', name: 'x', data: '{}', timestamp: 0 }]);
      await calls.take({ lock: 'lock', count: 1, hostLimits: undefined, spare: 0 });
    }
    await pool.query('update job set locked_until_ms = 0');
    const listener = await pool.connect();
    listener.on('notification', ({ payload = '' }) => told.push(payload));
    await listener.query('listen bullmq_jobs');
    expect(await b.recoverStalled?.()).to.deep.equal(['job']);
    const { rows } = await pool.query('select queue, state from job order by queue');
    expect(rows).to.deep.equal([
      { queue: 'a', state: 'waiting' },
      { queue: 'b', state: 'waiting' },
      { queue: 'other', state: 'active' },
    ]);
    await eventually(() => told.length, 2);
    expect(told.toSorted()).to.deep.equal(['a', 'b']);
    listener.release(true);
  });
});
