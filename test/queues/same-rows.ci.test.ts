import { expect } from 'chai';
import { type Db } from '../../db/connection.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { FINISHED_JOB_SECONDS } from '../../queues/transport/job-limits.ts';
import { MAX_STALLED_COUNT } from '../../queues/transport/parts.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import {
  dataOf,
  hostsLeftOut,
  hostsOverLimit,
  makeFairStep,
  makeRandom,
  makeStep,
  takeFairStep,
  takeStep,
} from './queue-steps.ts';
import { type HeldJob, QueueTwin, RENEWED_MS, type StoredQueue, type TwinStore } from './queue-twin.ts';

type Row = Record<string, unknown>;

/** Neither the events, which ours do not write, nor the version of the tables. */
const LEFT_OUT = ['event', 'migration'];

/** One statement reads all rows of BullMQ's tables with all their columns, for it is read after each step. */
async function makeRowsQuery(db: Db): Promise<string> {
  const tables = await rowsOf<{ name: string }>(db)`
    select table_name as name from information_schema.tables where table_schema = 'bullmq' order by 1`;
  const compared = tables.map(({ name }) => name).filter(name => !LEFT_OUT.includes(name));
  return compared
    .map(name => `select '${name}' as name, coalesce(json_agg(r), '[]') as rows from bullmq."${name}" r`)
    .join(' union all ');
}

async function readQueueRows(db: Db, query: string): Promise<StoredQueue> {
  const looks = db.raw<{ rows: { name: string; rows: Row[] }[] }>(query);
  // Under a name it is planned once on a connection.
  const { rows: tables } = await looks.options({ name: 'queue-rows' });
  const stored = tables.map(({ name, rows }) => [name, name === 'job' ? jobsOf(rows) : linesOf(rows)]);
  return Object.fromEntries(stored) as StoredQueue;
}

function linesOf(rows: readonly Row[]): string[] {
  return rows
    .filter(isSteady)
    .map(row => JSON.stringify(row))
    .toSorted();
}

/** When the last stall check or test write was, differs. */
const isSteady = ({ field }: Row) => field !== 'stalled-check' && field !== 'parley-probe';

/** In the order of the queue; the numbers themselves differ. The mark of BullMQ's stall check, which ours does without, too. */
function jobsOf(rows: readonly Row[]): Row[] {
  return rows
    .toSorted((a, b) => Number(a.seq) - Number(b.seq))
    .map(({ seq: _seq, stalled_marked: _marked, ...row }) => maskJob(row));
}

function maskJob(row: Row): Row {
  const mask = (name: string, shown: string) => (row[name] === null ? {} : { [name]: shown });
  return {
    ...row,
    ...mask('processed_at_ms', 'time'),
    ...mask('finished_at_ms', 'time'),
    ...mask('lock_token', 'lock'),
    ...mask('locked_until_ms', Number(row.locked_until_ms) > Date.now() ? 'later' : 'before'),
  };
}

interface PostgresTwin extends TwinStore {
  readonly db: TestDatabase['db'];
}

const ofTurns = { queue: 'turns' };

function makePostgresTwin({ db, url }: TestDatabase, rowsQuery: string): PostgresTwin {
  const jobs = () => db('bullmq.job').where(ofTurns);
  return {
    db,
    address: { databaseUrl: url },
    prolongLocks: async ids =>
      jobs()
        .whereIn('id', ids)
        .where('locked_until_ms', '>', 0)
        .update({ locked_until_ms: Date.now() + RENEWED_MS }),
    loseLock: async id => jobs().where({ id, state: 'active' }).update({ locked_until_ms: 0 }),
    dropWake: async () => {},
    forgetStallCheck: async () =>
      db('bullmq.meta')
        .where({ ...ofTurns, field: 'stalled-check' })
        .delete(),
    async sortStalled(ids) {
      for (const id of ids)
        await jobs()
          .where({ id })
          .update({ seq: db.raw(`nextval('bullmq.job_seq')`) });
    },
    age: async () =>
      jobs()
        .where({ state: 'completed' })
        .update({ finished_at_ms: Date.now() - 2 * FINISHED_JOB_SECONDS * 1_000 }),
    async hideAllBut(ids) {
      await jobs().where({ state: 'waiting' }).whereNotIn('id', ids).update({ queue: 'hidden' });
      return () => db('bullmq.job').where({ queue: 'hidden' }).update(ofTurns);
    },
    read: () => readQueueRows(db, rowsQuery),
    close: async () => {},
  };
}

/** `npm run test:long` takes fifteen. */
const SEQUENCES = process.env['RUNS'] ? 15 : 3;
const STEPS = 60;

type Twin = QueueTwin<PostgresTwin>;

describe('our statements on the tables of BullMQ', () => {
  let databases: TestDatabase[] = [];
  let rowsQuery: string;
  let twins: [library: Twin, ours: Twin];
  before(async () => {
    const make = () => makeDatabase('empty', { hasQueues: true });
    const [first, second] = [await make(), await make()];
    databases = [first, second];
    rowsQuery = await makeRowsQuery(first.db);
    await openTwins();
  });
  afterEach(async () => {
    for (const twin of twins) twin.held.splice(0);
    await Promise.all(databases.map(({ db }) => db.raw('truncate bullmq.job, bullmq.event cascade')));
  });
  after(async () => {
    await Promise.all(twins.map(twin => twin.close()));
    await Promise.all(databases.map(database => database.drop()));
  });

  const openTwins = async () => {
    const open = (at: number, isBatched: boolean) =>
      QueueTwin.open(makePostgresTwin(databases[at] as TestDatabase, rowsQuery), isBatched);
    twins = [await open(0, false), await open(1, true)];
  };

  const ofTurns = (twin: Twin) => twin.store.db('bullmq.job').where({ queue: 'turns' });

  for (const [state, spoil, refusal] of [
    ['without a lock', twin => ofTurns(twin).update({ lock_token: null }), 'Lock mismatch'],
    ['with a lock of another', twin => ofTurns(twin).update({ lock_token: 'other' }), 'Lock mismatch'],
    ['that is gone', twin => ofTurns(twin).delete(), 'Missing key'],
    ['that is not active', twin => ofTurns(twin).update({ state: 'waiting' }), 'not in the active state'],
  ] as [string, (twin: Twin) => PromiseLike<unknown>, string][])
    it(`refuse to complete a job ${state}, with the same error and rows`, async () => {
      const results = twins.map(async twin => {
        await twin.add([{ id: 'k1x', data: dataOf(1) }]);
        await twin.take(1);
        await spoil(twin);
        const [error] = await twin.complete(twin.held.slice(), false);
        return { error, rows: await twin.store.read() };
      });
      const [theirs, own] = await Promise.all(results);
      expect(own?.error).to.include(refusal);
      expect(own).to.deep.equal(theirs);
    });

  it('refuse to complete a job for a run whose lock has expired, although its worker runs the job again', async () => {
    const results = twins.map(async twin => {
      await twin.add([{ id: 'k1x', data: dataOf(1) }]);
      await twin.take(1);
      const [older] = twin.held.slice() as [HeldJob];
      await twin.loseLock(older);
      expect([await twin.checkStalled(), await twin.checkStalled()].flat()).to.deep.equal([older.id]);
      await twin.take(1);
      expect(twin.held).to.have.length(2);
      return twin.complete([older, ...twin.held.filter(job => job !== older)], false);
    });
    for (const refusals of await Promise.all(results)) expect(refusals).to.deep.equal(['refused', undefined]);
  });

  it('give up a job whose lock was lost once too often, and not before', async () => {
    for (const twin of twins) await twin.add([{ id: 'k1x', data: dataOf(1) }]);
    const loseAndTake = async (twin: Twin) => {
      for (const job of twin.held.splice(0)) await twin.loseLock(job);
      for (const _time of [1, 2]) await twin.checkStalled();
      await twin.take(1);
      return { rows: await twin.store.read(), isDoomed: twin.held.map(job => job.isDoomed) };
    };
    for (let lost = 0; lost <= MAX_STALLED_COUNT + 1; lost += 1) {
      const [theirs, own] = await Promise.all(twins.map(loseAndTake));
      expect(own).to.deep.equal(theirs);
      expect(own?.isDoomed).to.deep.equal([lost > MAX_STALLED_COUNT]);
    }
  });

  it('renew and recover locks without waiting for a job that somebody else has locked', async () => {
    const [, ours] = twins;
    await ours.add(['k1x', 'k2x'].map((id, at) => ({ id, data: dataOf(at + 1) })));
    await ours.take(2);
    const held = ours.held.slice();
    const lock = async () => {
      const other = await ours.store.db.transaction();
      await other('bullmq.job').where({ queue: 'turns', id: 'k1x' }).forUpdate();
      return other;
    };
    const other = await lock();
    expect(await ours.renewLocks()).to.deep.equal([]);
    await other.rollback();
    for (const job of held) await ours.loseLock(job);
    const another = await lock();
    expect(await ours.checkStalled()).to.deep.equal(['k2x']);
    await another.rollback();
    expect(await ours.checkStalled()).to.deep.equal(['k1x']);
    expect(await ours.renewLocks()).to.have.members(['k1x', 'k2x']);
  });

  for (let seed = 1; seed <= SEQUENCES; seed += 1) {
    it(`leave every row and column as those of BullMQ do, after each step of sequence ${seed}`, async () => {
      const random = makeRandom(seed);
      const done: string[] = [];
      for (let at = 0; at < STEPS; at += 1) {
        const [name, step] = makeStep(random);
        done.push(name);
        const { results, held, stored } = await takeStep(twins, step);
        expect(stored[1], done.join(', ')).to.deep.equal(stored[0]);
        expect(results[1], done.join(', ')).to.equal(results[0]);
        expect(held[1], done.join(', ')).to.deep.equal(held[0]);
      }
    });
  }

  for (let seed = 1; seed <= SEQUENCES; seed += 1) {
    it(`do so for jobs of hosts with shares, within the limits of their slots, in sequence ${seed}`, async () => {
      // Ours remembers which hosts run jobs, and the jobs of earlier tests were never ended.
      await Promise.all(twins.map(twin => twin.close()));
      await openTwins();
      const random = makeRandom(seed);
      const done: string[] = [];
      for (let at = 0; at < STEPS; at += 1) {
        const [, ours] = twins;
        const step = makeFairStep(random, ours.held.length);
        done.push(step.name);
        const { held, results, stored, taken } = await takeFairStep(twins, step);
        const [theirs, own] = stored;
        expect([own, results[1], held[1]], done.join(', ')).to.deep.equal([theirs, results[0], held[0]]);
        if (step.freeSlots !== undefined)
          expect(hostsOverLimit(taken, ours, step.freeSlots), done.join(', ')).to.deep.equal([]);
        if (step.name === 'take')
          expect(await hostsLeftOut(ours, (step.freeSlots ?? 0) - taken.length)).to.deep.equal([]);
      }
    });
  }

  it('write no events, and BullMQ’s own do', async () => {
    for (const twin of twins) {
      await twin.add([{ id: 'k1x', data: dataOf(1) }]);
      await twin.take(1);
      await twin.complete(twin.held.slice(), true);
    }
    const events = twins.map(({ store }) => store.db('bullmq.event').where({ queue: 'turns' }));
    const [theirs, own] = await Promise.all(events);
    expect(theirs).to.not.deep.equal([]);
    expect(own).to.deep.equal([]);
  });
});
