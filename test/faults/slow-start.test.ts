import { Writable } from 'node:stream';
import { expect } from 'chai';
import type { Logger } from 'pino';
import { startApi } from '../../api/start.ts';
import { makeLog } from '../../platform/log.ts';
import { startIndexer } from '../../workers/indexer/start.ts';
import { startWorkers } from '../../workers/start.ts';
import { itAtOnce } from '../support/at-once.ts';
import { eventually } from '../support/eventually.ts';
import { makeOwnRedis, usesRedis } from '../support/own-redis.ts';
import { makeQueueStore, type QueueStore } from '../support/queue-store.ts';
import { type Service, startService } from '../support/service.ts';
import { makeOwnPostgres } from './own-postgres.ts';

type Start = (log: Logger) => Promise<{ close(): Promise<void> }>;

/** Starts each of the processes here, while the store is frozen; it goes on when the first attempt of each has failed. */
async function startBeside(
  frozen: { freeze(): void; goOn(): void },
  store: QueueStore,
  startsOf: (settings: Service['settings']) => readonly Start[],
): Promise<void> {
  const service = await startService({ store, workers: false, requestTimeoutMs: 60_000 });
  const starts = startsOf(service.settings);
  const delays = starts.map(() => 0);
  try {
    frozen.freeze();
    const started = starts.map((start, at) => {
      const note = (line: string) =>
        (delays[at] = (delays[at] ?? 0) + Number(line.includes('start_delayed')));
      const sink = new Writable({ write: (chunk, _encoding, done) => done(void note(String(chunk))) });
      return start(makeLog('test', 'warn', sink));
    });
    await eventually(() => delays.every(count => count > 0), true);
    frozen.goOn();
    const running = await Promise.all(started);
    await eventually(() => service.ask('Olá?'), { status: 200 });
    for (const process of running) await process.close();
    expect(delays).to.deep.equal(starts.map(() => 1));
  } finally {
    frozen.goOn();
    await service.close();
  }
}

async function startWhilePostgresIsFrozen(): Promise<void> {
  const postgres = await makeOwnPostgres({ settings: { fsync: 'off' } });
  // The server ends with the service, and so does Redis.
  await startBeside(postgres, { ...postgres.store, drop: postgres.drop }, settings => [
    log => startApi(settings, log),
    log => startWorkers(settings, log),
    log => startIndexer({ databaseUrl: settings.databaseUrl, appEnv: 'production' }, log),
  ]);
}

async function startWhileRedisIsFrozen(): Promise<void> {
  const [redis, store] = await Promise.all([makeOwnRedis(), makeQueueStore('seeded')]);
  const drop = () => store.drop().then(() => redis.kill());
  await startBeside(redis, { ...store, redisUrl: redis.url, drop }, settings => [
    log => startApi(settings, log),
    log => startWorkers(settings, log),
  ]);
}

describe('processes that start while their store does not answer', () => {
  itAtOnce({
    'try again, say so once, and work when PostgreSQL answers': startWhilePostgresIsFrozen,
    ...(usesRedis ? { 'try again, say so once, and work when Redis answers': startWhileRedisIsFrozen } : {}),
  });
});
