import { Writable } from 'node:stream';
import { expect } from 'chai';
import type { Logger } from 'pino';
import { startApi } from '../../api/start.ts';
import { makeLog } from '../../platform/log.ts';
import { startIndexer } from '../../workers/indexer/start.ts';
import { startWorkers } from '../../workers/start.ts';
import { eventually } from '../support/eventually.ts';
import { makeOwnPostgres, type OwnPostgres } from '../support/own-postgres.ts';
import { describeWithRedis, makeOwnRedis } from '../support/own-redis.ts';
import { makeQueueStore } from '../support/queue-store.ts';
import type { OwnRedis } from '../support/redis-server.ts';
import { type Service, startService } from '../support/service.ts';

/** Starts each of the processes here, while the store is frozen; it goes on when the first attempt of each has failed. */
async function startBeside(
  store: { freeze(): void; goOn(): void },
  starts: readonly ((log: Logger) => Promise<{ close(): Promise<void> }>)[],
) {
  store.freeze();
  const delays = starts.map(() => 0);
  const started = starts.map((start, at) => {
    const note = (line: string) => (delays[at] = (delays[at] ?? 0) + Number(line.includes('start_delayed')));
    const sink = new Writable({ write: (chunk, _encoding, done) => done(void note(String(chunk))) });
    return start(makeLog('test', 'warn', sink));
  });
  await eventually(
    () => delays,
    counts => counts.every(count => count > 0),
  );
  store.goOn();
  return { running: await Promise.all(started), delays };
}

describe('processes that start while PostgreSQL does not answer', () => {
  let postgres: OwnPostgres;
  let service: Service;
  before(async () => {
    postgres = await makeOwnPostgres({ settings: { fsync: 'off' } });
    service = await startService({ store: postgres.store, workers: false, requestTimeoutMs: 60_000 });
  });
  after(async () => {
    postgres.goOn();
    await service.close();
    await postgres.stop();
  });

  it('try again, say so once, and work when it answers', async () => {
    const { settings } = service;
    const { running, delays } = await startBeside(postgres, [
      log => startApi(settings, log),
      log => startWorkers(settings, log),
      log => startIndexer({ databaseUrl: settings.databaseUrl, appEnv: 'production' }, log),
    ]);
    await eventually(
      () => service.ask('Olá?'),
      ({ status }) => status === 200,
    );
    for (const process of running) await process.close();
    expect(delays).to.deep.equal([1, 1, 1]);
  });
});

describeWithRedis('processes that start while Redis does not answer', () => {
  let redis: OwnRedis;
  let service: Service;
  before(async () => {
    redis = await makeOwnRedis();
    const store = await makeQueueStore('seeded');
    service = await startService({
      store: { ...store, redisUrl: redis.url },
      workers: false,
      requestTimeoutMs: 60_000,
    });
  });
  after(async () => {
    redis.goOn();
    await service.close();
    await redis.kill();
  });

  it('try again, say so once, and work when it answers', async () => {
    const { settings } = service;
    const { running, delays } = await startBeside(redis, [
      log => startApi(settings, log),
      log => startWorkers(settings, log),
    ]);
    await eventually(
      () => service.ask('Olá?'),
      ({ status }) => status === 200,
    );
    for (const process of running) await process.close();
    expect(delays).to.deep.equal([1, 1]);
  });
});
