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
import { makeQueueStore } from '../support/queue-store.ts';
import { type Service, startService } from '../support/service.ts';
import { makeOwnPostgres } from './own-postgres.ts';

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

async function startWhilePostgresIsFrozen(): Promise<void> {
  const postgres = await makeOwnPostgres({ settings: { fsync: 'off' } });
  const service = await startService({ store: postgres.store, workers: false, requestTimeoutMs: 60_000 });
  const { settings } = service;
  try {
    const { running, delays } = await startBeside(postgres, [
      log => startApi(settings, log),
      log => startWorkers(settings, log),
      log => startIndexer({ databaseUrl: settings.databaseUrl, appEnv: 'production' }, log),
    ]);
    await untilAnswered(service);
    for (const process of running) await process.close();
    expect(delays).to.deep.equal([1, 1, 1]);
  } finally {
    postgres.goOn();
    await service.close();
    await postgres.stop();
  }
}

async function startWhileRedisIsFrozen(): Promise<void> {
  const [redis, store] = await Promise.all([makeOwnRedis(), makeQueueStore('seeded')]);
  const service = await startService({
    store: { ...store, redisUrl: redis.url },
    workers: false,
    requestTimeoutMs: 60_000,
  });
  const { settings } = service;
  try {
    const { running, delays } = await startBeside(redis, [
      log => startApi(settings, log),
      log => startWorkers(settings, log),
    ]);
    await untilAnswered(service);
    for (const process of running) await process.close();
    expect(delays).to.deep.equal([1, 1]);
  } finally {
    redis.goOn();
    await service.close();
    await redis.kill();
  }
}

const untilAnswered = (service: Service) =>
  eventually(
    () => service.ask('Olá?'),
    ({ status }) => status === 200,
  );

describe('processes that start while their store does not answer', () => {
  itAtOnce({
    'try again, say so once, and work when PostgreSQL answers': startWhilePostgresIsFrozen,
    ...(usesRedis ? { 'try again, say so once, and work when Redis answers': startWhileRedisIsFrozen } : {}),
  });
});
