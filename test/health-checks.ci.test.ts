import { expect } from 'chai';
import { watchHealth } from '../api/health/watch-health.ts';
import { makeOutageLog } from '../platform/outage-log.ts';
import type { Dispatcher } from '../queues/transport/dispatcher.ts';
import { makeDatabase, type TestDatabase } from './support/database.ts';

const silent = { error() {}, info() {} } as unknown as Parameters<typeof makeOutageLog>[0];

describe('the health checks of web', () => {
  let database: TestDatabase;
  before(async () => {
    database = await makeDatabase();
  });
  after(() => database.drop());

  it('ask the database and the queue store once, however many ask at the same time', async () => {
    let looks = 0;
    const dispatcher = {
      isReady: () => true,
      progress: async () => {
        looks += 1;
        return [];
      },
    } as unknown as Dispatcher;
    const outage = makeOutageLog(silent, { event: 'database', name: 'the database' });
    const parts = { processName: 'web-1', key: 'k', database: outage, timeoutMs: 60_000 };
    const health = watchHealth(database.db, dispatcher, parts);
    const statements: string[] = [];
    database.db.on('query', ({ sql }: { sql: string }) => statements.push(sql));
    const askAll = () =>
      Promise.all([health.checks.migrations(), health.checks.queue(), health.progress(), health.processes()]);
    await askAll();
    const once = statements.length;
    for (let asked = 0; asked < 50; asked += 1) await askAll();
    health.stop();
    expect(looks).to.be.at.most(2);
    expect(statements.length).to.be.at.most(once + 10);
  });
});
