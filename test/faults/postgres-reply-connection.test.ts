import type { PostgresQueueBackend } from 'bullmq';
import type pg from 'pg';
import { type Backend, openBackend } from '../../queues/transport/backend.ts';
import { makeDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type ListeningRequester, openListeningRequester } from '../support/listening-requester.ts';
import { makeOwnPostgres, type OwnPostgres } from '../support/own-postgres.ts';
import { makeSwitchableProxy } from '../support/switchable-proxy.ts';

const isTrue = (seen: boolean): boolean => seen;

describe('the connection on which a worker hears of new jobs in PostgreSQL', () => {
  it('is replaced when it alone is open and silent', async () => {
    const { url, db, drop } = await makeDatabase('empty', { hasQueues: true });
    const backend = await openBackend({ databaseUrl: url, onError: () => {} });
    const worker = backend.makeWorker('turns', async () => ({ code: 200, sealed: 'reply' }), 8);
    const listeners = () =>
      db('pg_stat_activity').where({ state: 'idle' }).where('query', 'ilike', '%listen%bullmq_jobs%');
    await eventually(listeners, ({ length }) => length === 1);
    const { connection } = worker.getBackend() as unknown as PostgresQueueBackend;
    const hearing = async () => (await connection.getListenClient()) as unknown as pg.Client;
    const first = await hearing();
    first.connection.stream.pause();
    await eventually(async () => (await hearing()) !== first, isTrue, 30_000);
    await worker.close();
    await backend.close();
    await drop();
  });
});

describe('the connection on which replies from PostgreSQL are received', () => {
  let postgres: OwnPostgres;
  let backend: Backend;
  let worker: ReturnType<Backend['makeWorker']>;
  beforeEach(async () => {
    postgres = await makeOwnPostgres();
    backend = await openBackend({ databaseUrl: postgres.store.databaseUrl, onError: () => {} });
    worker = backend.makeWorker('turns', async () => ({ code: 200, sealed: 'reply' }), 8);
    await worker.waitUntilReady();
  });
  afterEach(async () => {
    postgres.goOn();
    await worker.close();
    await backend.close();
    await postgres.stop();
  });

  it('is replaced when it is open and silent', async () => {
    const address = await makeSwitchableProxy(postgres.store.databaseUrl);
    const through = new URL(postgres.store.databaseUrl);
    through.port = new URL(address.url).port;
    const requester: ListeningRequester = await openListeningRequester(through.href);
    await eventually(requester.receivesEnds, isTrue);
    address.silence();
    await eventually(requester.receivesEnds, isTrue, 30_000);
    await requester.close();
    await address.close();
  });

  it('is back after its server was frozen', async () => {
    const requester = await openListeningRequester(postgres.store.databaseUrl);
    postgres.freeze();
    await eventually(
      () => requester.errors.length,
      count => count > 0,
    );
    postgres.goOn();
    await eventually(requester.receivesEnds, isTrue, 30_000);
    await requester.close();
  });

  it('is closed although its server is frozen', async () => {
    const { ends } = await openBackend({ databaseUrl: postgres.store.databaseUrl, onError: () => {} });
    await ends
      .listen('turns', { noteEnd: () => {}, notePiece: () => {}, noteGap: () => {} })
      .waitUntilReady();
    postgres.freeze();
    await ends.close();
  });
});
