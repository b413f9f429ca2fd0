import { expect } from 'chai';
import { connect } from '../../db/connection.ts';
import { type Backend, openBackend } from '../../queues/transport/backend.ts';
import { followCancellations, openCancellations } from '../../queues/transport/cancellations.ts';
import { eventually } from '../support/eventually.ts';
import { withHeldLock } from '../support/held-commit.ts';
import { openOnce } from '../support/opened.ts';
import { makeQueueStore } from '../support/queue-store.ts';

describe('the jobs that the api cancels', () => {
  const store = openOnce(makeQueueStore);
  const backend = openOnce(() => openBackend({ ...store, onError: () => {} }));
  const told: string[] = [];
  openOnce(() => followCancellations(backend, [{ cancel: jobId => told.push(jobId) }]));
  beforeEach(() => void told.splice(0));

  const untilTold = (count: number, withinMs?: number) =>
    eventually(
      () => told,
      ({ length }) => length >= count,
      withinMs,
    );

  it('are told to the workers, all of them and in their order, before the api has closed', async () => {
    const ids = Array.from({ length: 500 }, (_, at) => `k${at}`);
    const cancellations = await openCancellations(backend);
    for (const id of ids) cancellations.publish(id);
    await cancellations.close();
    expect(await untilTold(500)).to.deep.equal(ids);
  });

  it('are told when the store is back, and one that it refused is told again', async () => {
    let [isReady, failures] = [false, 1];
    const makeEventsProducer: Backend['makeEventsProducer'] = name => {
      const producer = backend.makeEventsProducer(name);
      const publish = producer.publishEvent.bind(producer);
      producer.publishEvent = async (...event) => {
        failures -= 1;
        if (failures >= 0) throw new Error('READONLY');
        return publish(...event);
      };
      return producer;
    };
    const cancellations = await openCancellations({ ...backend, isReady: () => isReady, makeEventsProducer });
    cancellations.publish('k1');
    isReady = true;
    cancellations.publish('k2');
    expect(await untilTold(2)).to.deep.equal(['k1', 'k2']);
    await cancellations.close();
  });

  it('are all told where several apis cancel at once, and the first to begin is not the first to commit', async function () {
    if (backend.kind === 'redis') this.skip();
    const db = connect(store.databaseUrl);
    await db.raw(`
      create function stall() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock(4711); return null; end $$;
      create constraint trigger stall after insert on bullmq.event deferrable initially deferred
        for each row when (new.data ->> 'jobId' = 'k1') execute function stall()`);
    const [first, second] = [await openCancellations(backend), await openCancellations(backend)];
    let readOn: Promise<string[]> | undefined;
    await withHeldLock(db, 'select pg_advisory_xact_lock(4711)', async held => {
      first.publish('k1');
      await held.waitForBlocked(1);
      second.publish('k2');
      // Whatever wakes the listener meanwhile.
      const wake = async () => {
        await db.raw(`select pg_notify('bullmq_events', 'control')`);
        return told;
      };
      readOn = eventually(wake, ({ length }) => length > 0);
      await Promise.race([held.waitForBlocked(2), readOn]);
    });
    await readOn;
    expect((await untilTold(2)).toSorted()).to.deep.equal(['k1', 'k2']);
    await Promise.all([first.close(), second.close()]);
    await db.raw('drop function stall cascade');
    await db.destroy();
  });

  it('are told soon although no message about them arrived, as while a listener was about to listen', async function () {
    if (backend.kind === 'redis') this.skip();
    const db = connect(store.databaseUrl);
    await db.raw(`
      insert into bullmq.event (queue, event, data, created_at_ms) values ('control', 'cancel', '{"jobId": "k1"}', 0)`);
    expect(await untilTold(1, 5_000)).to.deep.equal(['k1']);
    await db.destroy();
  });
});
