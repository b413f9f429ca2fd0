import { type IQueueBackend, PostgresQueueBackend, RedisQueueBackend } from 'bullmq';
import { expect } from 'chai';
import { ParleyBackend } from '../../queues/transport/parley-backend.ts';
import type { QueueCalls } from '../../queues/transport/queue-calls.ts';
import { openEach } from '../support/opened.ts';
import { openOwnQueue, ownStore } from './own-store.ts';

const methodsOf = ({ prototype }: { readonly prototype: object }) =>
  Object.entries(Object.getOwnPropertyDescriptors(prototype))
    .filter(([, { value }]) => typeof value === 'function')
    .map(([name]) => name);

describe('our backend whose connection fails while it is ended', () => {
  it('has ended it, so that BullMQ waits for the jobs that run', async () => {
    const library = { disconnectBlocking: () => Promise.reject(new Error('connect ETIMEDOUT')) };
    const ours = new ParleyBackend(library as unknown as IQueueBackend, {} as QueueCalls);
    await ours.disconnectBlocking(true);
  });
});

describe('our backend in whose library a wait never ends', () => {
  const endless = () => new Promise<never>(() => {});
  const library = {
    waitForJob: endless,
    readEvents: endless,
    reconnectBlocking: endless,
    disconnectBlocking: endless,
  } as unknown as IQueueBackend;

  it('goes on a few seconds after the time of the wait, so that a queue never stands still for good', async () => {
    const ours = new ParleyBackend(library, {} as QueueCalls);
    expect(await Promise.all([ours.waitForJob(0.01), ours.readEvents('0', 10)])).to.deep.equal([null, null]);
  });

  it('goes on where a connection is neither ended nor made again', async () => {
    const ours = new ParleyBackend(library, {} as QueueCalls);
    await Promise.all([ours.disconnectBlocking(true), ours.reconnectBlocking()]);
  });
});

describe(`our backend of queues and workers on ${ownStore.name}`, () => {
  const { queue, openWorker } = openOwnQueue('turns');
  const worker = openEach(() => openWorker(1));

  it('has all that BullMQ’s has', () => {
    const methods = methodsOf(ownStore.name === 'Redis' ? RedisQueueBackend : PostgresQueueBackend);
    expect(methods.length).to.be.greaterThan(80);
    for (const ours of [queue.getBackend(), worker.getBackend()]) {
      const missing = methods.filter(method => typeof Reflect.get(ours, method) !== 'function');
      expect(missing).to.deep.equal([]);
    }
  });

  it('is BullMQ’s in what it does not do itself, and says what that says of itself', async () => {
    const [adding, taking] = [queue.getBackend(), worker.getBackend()];
    await adding.setQueueMeta({ 'a field': 'a value' });
    expect(await taking.getQueueMetaField('a field')).to.equal('a value');
    expect(taking.qualifiedName).to.equal(queue.qualifiedName);
    expect(taking.closing).to.equal(undefined);
    await worker.close();
    expect(taking.closing).to.be.a('promise');
  });
});
