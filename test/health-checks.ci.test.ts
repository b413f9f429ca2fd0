import { expect } from 'chai';
import { Registry } from 'prom-client';
import { watchHealth } from '../api/health/watch-health.ts';
import { deleteMetrics, storeMetrics } from '../db/process-metrics.ts';
import { makeOutageLog } from '../platform/outage-log.ts';
import { registerProcessInfo } from '../platform/process-info.ts';
import { queueNames } from '../queues/contract/queues.ts';
import type { Dispatcher } from '../queues/transport/dispatcher.ts';
import { makeDatabase, type TestDatabase } from './support/database.ts';
import { eventually } from './support/eventually.ts';
import { watchStatements } from './support/statements.ts';

const silent = { error() {}, info() {} } as unknown as Parameters<typeof makeOutageLog>[0];

describe('the health checks of web', () => {
  let database: TestDatabase;
  before(async () => {
    database = await makeDatabase();
  });
  after(() => database.drop());

  const watch = (more: Partial<Dispatcher> = {}, keys = { key: 'k', previousKeys: [] as string[] }) => {
    const dispatcher = { isReady: () => true, ...more } as unknown as Dispatcher;
    const outage = makeOutageLog(silent, { event: 'database', name: 'the database' });
    const parts = {
      processName: 'web-1',
      keys,
      database: outage,
      timeoutMs: 60_000,
    };
    return watchHealth(database.db, dispatcher, parts);
  };

  it('ask the database and the queue store once, however many ask at the same time', async () => {
    let looks = 0;
    const health = watch({
      async progress() {
        looks += 1;
        return [];
      },
    });
    const askAll = () =>
      Promise.all([health.checks.migrations(), health.checks.queue(), health.progress(), health.processes()]);
    const once = await watchStatements(database.db, askAll);
    const often = await watchStatements(database.db, async () => {
      for (let asked = 0; asked < 50; asked += 1) await askAll();
    });
    health.stop();
    expect(looks).to.be.at.most(2);
    expect(often.length).to.be.at.most(10);
    expect(once).to.be.not.empty;
  });

  it('count workers of another key where each reads what the other seals, as while keys are changed', async () => {
    const { db } = database;
    const otherKeys = async (previousOfWeb: string[], previousOfWorker: string[]) => {
      const registry = new Registry();
      registry.setDefaultLabels({ process: 'worker-1' });
      const worker = {
        kind: 'worker',
        queues: queueNames,
        key: 'n',
        previousKeys: previousOfWorker,
      } as const;
      registerProcessInfo(registry, worker);
      await storeMetrics(db, 'worker-1', await registry.getMetricsAsJSON());
      const { processes, checks, stop } = watch({}, { key: 'k', previousKeys: previousOfWeb });
      const isReady = await checks.queue().then(
        () => true,
        () => false,
      );
      stop();
      return [(await processes()).otherKeys, isReady];
    };
    expect(await otherKeys(['n'], ['k'])).to.deep.equal([[], true]);
    expect(await otherKeys([], ['k'])).to.deep.equal([['worker-1'], false]);
    expect(await otherKeys(['n'], [])).to.deep.equal([['worker-1'], false]);
  });

  it('wait for workers of all queues that have come since this start, and for no other ones later', async () => {
    const { db } = database;
    const beat = async (queues: readonly string[], key = 'k') => {
      const registry = new Registry();
      registry.setDefaultLabels({ process: 'worker-1' });
      registerProcessInfo(registry, { kind: 'worker', queues, key, previousKeys: [] });
      await storeMetrics(db, 'worker-1', await registry.getMetricsAsJSON());
    };
    await beat(queueNames);
    const { checks, stop } = watch();
    const reason = () =>
      checks.workers().then(
        () => undefined,
        ({ message }: Error) => message,
      );
    expect(await reason()).to.include('worker of turns');
    await beat(queueNames, 'another');
    await beat(queueNames.slice(1));
    const some = await eventually(reason, seen => !seen?.includes(`worker of ${queueNames.at(-1)}`));
    expect(some).to.include(`worker of ${queueNames[0]}`);
    await beat(queueNames);
    await eventually(reason, seen => seen === undefined);
    await deleteMetrics(db, 'worker-1');
    expect(await reason()).to.equal(undefined);
    stop();
  });
});
