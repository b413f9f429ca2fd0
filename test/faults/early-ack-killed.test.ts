import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { makeLog } from '../../platform/log.ts';
import { replayLeftOver } from '../../workers/intake/replay-records.ts';
import { deal, findArrivals } from '../support/crm.ts';
import { eventually } from '../support/eventually.ts';
import { inLanes } from '../support/in-lanes.ts';
import { openOnce } from '../support/opened.ts';
import { makeSource, sendSigned } from '../support/signed.ts';
import { waitForLock } from '../support/wait-for-lock.ts';
import { openProcesses } from './processes.ts';

const RECORDS = 100;
const LANES = 12;
const MAX_ATTEMPTS = 40;

describe('a source that is answered early', () => {
  const { service, spawn, kill } = openProcesses({ workers: 1 });
  const source = openOnce(() => makeSource(service, { ack: 'early' }));

  /** Does what each worker does with records that are older than a minute. */
  const replay = () =>
    replayLeftOver({ owner: service.db, hosts: service.db }, makeLog('test', 'silent'), { olderThanMs: 0 });
  const statesOf = (rows: { state: string }[]) => rows.map(({ state }) => state);

  it('gets its record mapped by another worker when its own is killed between answer and mapping', async () => {
    // The mapping waits for this lock, the storing does not.
    const locking = await service.db.transaction();
    try {
      await locking.raw('lock table leads in access exclusive mode');
      const answer = await sendSigned(service, source, deal(1));
      expect([answer.status, Object.keys(answer.body)]).to.deep.equal([202, ['recordId', 'state']]);
      await waitForLock(locking);
      expect(statesOf(await findArrivals(service, 1))).to.deep.equal(['received']);
      await kill();
    } finally {
      await locking.rollback();
    }
    expect(await service.db('leads').where({ external_id: '1' })).to.deep.equal([]);
    // The transaction of the killed worker holds the record until PostgreSQL notices.
    await eventually(replay, replayed => replayed === 1);
    expect(statesOf(await findArrivals(service, 1))).to.deep.equal(['done']);
    expect(await service.db('leads').where({ external_id: '1' })).to.have.length(1);
  });

  it('loses no record that was answered, and doubles none, when workers are killed', async () => {
    await spawn();
    const todo = Array.from({ length: 2 * RECORDS }, (_, n) => 1_000 + (n % RECORDS));
    let taken = 0;
    const sendOne = async (id: number) => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const { status } = await sendSigned(service, source, deal(id));
        if (status === 202) return void (taken += 1);
        expect(status).to.equal(503);
        await delay(250);
      }
      throw new Error(`record ${id} was never taken`);
    };
    const done = inLanes(LANES, todo, sendOne);
    await eventually(
      () => taken,
      count => count >= RECORDS,
      60_000,
    );
    await kill();
    await spawn();
    await done;
    const unmapped = async () => {
      await replay();
      return service.db('intake_records').whereNot({ state: 'done' });
    };
    await eventually(unmapped, rows => rows.length === 0);
    const stored = await service.db('leads').whereRaw('external_id::integer >= 1000').pluck('external_id');
    expect(stored).to.have.length(RECORDS);
    expect(new Set(stored)).to.have.property('size', RECORDS);
  });
});
