import { expect } from 'chai';
import { migrateQueues, openBackend } from '../../queues/transport/backend.ts';
import { askDatabase } from '../support/ask-database.ts';
import { makeDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { makeQueueStore } from '../support/queue-store.ts';

describe('the queue library’s tables in PostgreSQL', () => {
  const store = openOnce(makeQueueStore);
  before(() => migrateQueues(store.databaseUrl));

  it('have the columns that our own statements over them name', async () => {
    const rows = await askDatabase(
      store.databaseUrl,
      `select column_name as name, data_type as type from information_schema.columns
       where table_schema = 'bullmq' and table_name = 'job'`,
    );
    expect(Object.fromEntries(rows.map(({ name, type }) => [name, type]))).to.include({
      queue: 'text',
      id: 'text',
      state: 'USER-DEFINED',
      return_value: 'jsonb',
      priority: 'integer',
      seq: 'bigint',
      added_at_ms: 'bigint',
    });
  });

  it('are missed at the start by a process without REDIS_URL after a release with it, which says what to do', async () => {
    const { url: databaseUrl, drop } = await makeDatabase('empty');
    const refused = await openBackend({ databaseUrl, onError: () => {} }).catch(
      (error: Error) => error.message,
    );
    await drop();
    expect(refused).to.include('no tables for the queues').and.to.include('run the release step');
  });

  it('say what our own statements take them to say, of a job at each step of its way', async () => {
    const backend = await openBackend({ databaseUrl: store.databaseUrl, onError: () => {} });
    const queue = backend.makeQueue('reports');
    const ids = ['k1', 'k2', 'never'];
    const reply = { code: 200, sealed: 'reply' };
    const data = { requestId: 'r', hostId: null, deadline: 0, sealed: '' };
    for (const jobId of ids.slice(0, 2)) await queue.add('reason', data, { jobId, timestamp: 1_000 });
    expect(await backend.findFinished(queue, ids)).to.deep.equal([{ id: 'never', state: 'missing' }]);
    expect(await backend.backlog(queue)).to.deep.include({ depth: 2, oldest: 1_000, active: 0 });
    const work = async ({ id }: { id?: string | undefined }) => {
      if (id === 'k2') throw new Error('lost');
      return reply;
    };
    const worker = backend.makeWorker('reports', work, 1);
    const seen = eventually(() => backend.findFinished(queue, ids), { length: ids.length });
    const left = await seen;
    await worker.close();
    const backlog = await backend.backlog(queue);
    await queue.close();
    await backend.close();
    expect(left).to.have.deep.members([
      { id: 'k1', state: 'completed', reply },
      { id: 'k2', state: 'failed' },
      { id: 'never', state: 'missing' },
    ]);
    expect(backlog).to.deep.include({ depth: 0, oldest: undefined, active: 0 });
  });
});
