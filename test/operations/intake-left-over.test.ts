import { expect } from 'chai';
import { intakeStates } from '../../db/intake/intake-records.ts';
import { fieldError } from '../../platform/field-error.ts';
import { makeLog } from '../../platform/log.ts';
import { mapStoredRecord } from '../../workers/intake/map-stored-record.ts';
import { replayLeftOver } from '../../workers/intake/replay-records.ts';
import { buildHost } from '../support/build-host.ts';
import { deal } from '../support/crm.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

describe('a record that its worker left', () => {
  const { db } = openOnce(makeDatabase);
  const host = openOnce(() => buildHost(db));

  const leave = async (id: number) => {
    const left = { host_id: host.hostId, kind: 'deals', created_at: new Date(Date.now() - 120_000) };
    const row = { ...left, job_id: `k${id}`, arrived_at: new Date(id), body: deal(id) };
    return (await db('intake_records').insert(row).returning('id'))[0].id as string;
  };
  const rowOf = (id: string) => db('intake_records').where({ id }).first('state', 'begun', 'reasons');
  const replay = (signal?: AbortSignal) =>
    replayLeftOver({ owner: db, hosts: db }, makeLog('test', 'silent'), signal ? { signal } : {});
  const passTime = () => db.raw(`update intake_records set begun_at = begun_at - interval '10 minutes'`);

  it('is failed after three times without an end, keeps nobody waiting, and is processed when it is named', async () => {
    await db.raw(`
      create function break_off() returns trigger language plpgsql security definer as
        $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
      create trigger break_off before insert on leads for each row when (new.external_id = '11') execute function break_off()`);
    const [deadly, next] = [await leave(11), await leave(12)];
    await replay().catch(() => {});
    expect(await rowOf(deadly)).to.include({ state: 'received', begun: 1 });
    await replay();
    expect(await rowOf(deadly)).to.include({ state: 'received', begun: 1 });
    expect(await rowOf(next)).to.include({ state: 'done', begun: 1 });
    for (const begun of [2, 3]) {
      await passTime();
      await replay().catch(() => {});
      expect(await rowOf(deadly)).to.include({ state: 'received', begun });
    }
    await passTime();
    expect(await replay()).to.equal(1);
    const reasons = [fieldError('', 'given-up', { limit: 3 })];
    expect(await rowOf(deadly)).to.deep.equal({ state: 'failed', begun: 3, reasons });
    await db.raw('drop function break_off cascade');
    await passTime();
    expect(await replay()).to.equal(0);
    expect(await mapStoredRecord(db, host.hostId, deadly, intakeStates)).to.include({ code: 200 });
    expect(await rowOf(deadly)).to.include({ state: 'done' });
  });

  it('does not count as begun where its worker is told to stop, or another has it', async () => {
    const id = await leave(13);
    await replay(AbortSignal.abort());
    expect(await rowOf(id)).to.include({ state: 'received', begun: 0 });
    const other = await db.transaction();
    await other('intake_records').where({ id }).forUpdate();
    await replay();
    await other.rollback();
    expect(await rowOf(id)).to.include({ state: 'received', begun: 0 });
    await Promise.all([replay(), replay()]);
    expect(await rowOf(id)).to.include({ state: 'done', begun: 1 });
  });
});
