import { type EventEmitter, once } from 'node:events';
import type { PostgresQueueBackend } from 'bullmq';
import { expect } from 'chai';
import { openBackend } from '../../queues/transport/backend.ts';
import { openListeningRequester } from '../queues/listening-requester.ts';
import { itAtOnce } from '../support/at-once.ts';
import { makeDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { makeSwitchableProxy } from '../support/switchable-proxy.ts';
import { makeOwnPostgres, type OwnPostgres } from './own-postgres.ts';

/** A PostgreSQL, and a worker that answers its jobs. */
async function withWorker(test: (postgres: OwnPostgres) => Promise<void>): Promise<void> {
  const postgres = await makeOwnPostgres();
  const backend = await openBackend({ databaseUrl: postgres.store.databaseUrl, onError: () => {} });
  const worker = backend.makeWorker('turns', async () => ({ code: 200, sealed: 'reply' }), 8);
  try {
    await worker.waitUntilReady();
    await test(postgres);
  } finally {
    postgres.goOn();
    await worker.close();
    await backend.close();
    await postgres.drop();
  }
}

async function replaceSilentHearing(): Promise<void> {
  const { url, db, drop } = await makeDatabase('empty', { hasQueues: true });
  const requester = await openListeningRequester(url);
  const backend = await openBackend({ databaseUrl: url, onError: () => {} });
  const workers = (['turns', 'catalog'] as const).map(name =>
    backend.makeWorker(name, async () => ({ code: 200, sealed: 'reply' }), 8),
  );
  await Promise.all(workers.map(worker => worker.waitUntilReady()));
  const connections = workers.map(
    worker => (worker.getBackend() as unknown as PostgresQueueBackend).connection,
  );
  const clients = await Promise.all(connections.map(connection => connection.getListenClient()));
  const pids: number[] = await db('pg_stat_activity')
    .where('query', 'like', 'listen bullmq_jobs%')
    .pluck('pid');
  expect(pids).to.have.length(1);
  const looked = Promise.all(connections.map(connection => once(connection, 'listenerinvalidated')));
  process.kill(pids[0] as number, 'SIGSTOP');
  try {
    await looked;
    const heard = Promise.all(clients.map(client => once(client as unknown as EventEmitter, 'notification')));
    await requester.add();
    expect((await heard).map(([{ payload }]) => payload)).to.deep.equal(['turns', 'turns']);
  } finally {
    process.kill(pids[0] as number, 'SIGCONT');
  }
  await Promise.all(workers.map(worker => worker.close()));
  await Promise.all([backend.close(), requester.close()]);
  await drop();
}

async function replaceSilentReplies({ store: { databaseUrl } }: OwnPostgres): Promise<void> {
  const address = await makeSwitchableProxy(databaseUrl);
  const { port } = new URL(address.url);
  const requester = await openListeningRequester(Object.assign(new URL(databaseUrl), { port }).href);
  await eventually(requester.receivesEnds, true);
  address.silence();
  await eventually(requester.receivesEnds, true);
  await requester.close();
  await address.close();
}

async function outliveFreeze(postgres: OwnPostgres): Promise<void> {
  const requester = await openListeningRequester(postgres.store.databaseUrl);
  postgres.freeze();
  await eventually(() => requester.errors.length > 0, true);
  postgres.goOn();
  await eventually(requester.receivesEnds, true);
  await requester.close();
}

async function closeWhileFrozen(postgres: OwnPostgres): Promise<void> {
  const { ends } = await openBackend({ databaseUrl: postgres.store.databaseUrl, onError: () => {} });
  await ends.listen('turns', { noteEnd: () => {}, notePiece: () => {}, noteGap: () => {} }).waitUntilReady();
  postgres.freeze();
  await ends.close();
}

describe('the connection to PostgreSQL', () => {
  itAtOnce({
    'on which all workers of a process hear of new jobs is replaced when it alone is silent, and they look then':
      replaceSilentHearing,
    'on which replies are received is replaced when it is open and silent': () =>
      withWorker(replaceSilentReplies),
    'on which replies are received is back after its server was frozen': () => withWorker(outliveFreeze),
    'on which replies are received is closed although its server is frozen': () =>
      withWorker(closeWhileFrozen),
  });
});
