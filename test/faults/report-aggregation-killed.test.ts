import { expect } from 'chai';
import { aggregateReportDeltas } from '../../db/reports/report-aggregation.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { eventually } from '../support/eventually.ts';
import { openProcesses } from './processes.ts';

const period = { startDate: '2026-03-01', endDate: '2026-04-01' };

describe('a worker that is killed while it adds changes to the daily counts', () => {
  const { service, spawn, kill } = openProcesses();
  // Whoever is still in its transaction has the changes, although its statement has ended.
  const aggregationsOf = () => rowsOf<{ wait: string | null }>(service.db)`
    select wait_event_type as wait from pg_stat_activity
    where application_name = 'parley-worker' and query like '%aggregate_report_deltas%' and state <> 'idle'`;

  it('loses nothing and counts nothing twice', async () => {
    const { db, demo } = service;
    const host_id = demo.hostId;
    const [row] = await db('conversations')
      .insert({ host_id, platform: 'api' })
      .returning<{ id: string }[]>('id');
    const created_at = '2026-03-10T15:00Z';
    const message = { host_id, conversation_id: row?.id, author: 'user', content: 'x', created_at };
    await db('messages').insert(Array.from({ length: 50 }, () => message));
    await db.transaction(async tx => {
      // It has claimed the deltas, and cannot write the days.
      await tx.raw('lock table report_days in share row exclusive mode');
      // On a busy machine a process takes longer to start than a transaction may idle.
      await tx.raw(`set local idle_in_transaction_session_timeout = '2min'`);
      await spawn();
      await eventually(aggregationsOf, running => running.some(({ wait }) => wait === 'Lock'));
      await kill();
    });
    await eventually(aggregationsOf, running => running.length === 0);
    await aggregateReportDeltas(db);
    expect(await db('report_deltas')).to.deep.equal([]);
    await spawn();
    const { body } = await service.demo.call('conversationalStats', period);
    expect([body.data[0].total_messages, body.data[0].total_services]).to.deep.equal([50, 1]);
  });
});
