import { expect } from 'chai';
import { type Backend, openBackend } from '../../queues/transport/backend.ts';
import { followCancellations, openCancellations } from '../../queues/transport/cancellations.ts';
import { eventually } from '../support/eventually.ts';
import { makeQueueStore, type QueueStore } from '../support/queue-store.ts';

describe('the jobs that the api cancels', () => {
  let store: QueueStore;
  let backend: Backend;
  const told: string[] = [];
  let following: { close(): Promise<void> };
  before(async () => {
    store = await makeQueueStore();
    backend = await openBackend({ ...store, onError: () => {} });
    following = await followCancellations(backend, [{ cancel: jobId => told.push(jobId) }]);
  });
  beforeEach(() => {
    told.length = 0;
  });
  after(async () => {
    await following.close();
    await backend.close();
    await store.drop();
  });

  const untilTold = (count: number) =>
    eventually(
      () => told,
      ({ length }) => length >= count,
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
});
