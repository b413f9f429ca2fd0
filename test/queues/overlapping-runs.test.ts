import { expect } from 'chai';
import { type Backend, openBackend } from '../../queues/transport/backend.ts';
import type { JobReply } from '../../queues/transport/store.ts';
import { eventually } from '../support/eventually.ts';
import { makeQueueStore, type QueueStore } from '../support/queue-store.ts';

describe('two runs of a job in one worker, of which the first has lost its lock', () => {
  let store: QueueStore;
  let backend: Backend;
  before(async () => {
    store = await makeQueueStore();
    backend = await openBackend({ ...store, onError: () => {} });
  });
  after(async () => {
    await backend.close();
    await store.drop();
  });

  it('leave each other alone: the lock of the second is renewed after the first has ended, and until its own end', async () => {
    const ends: (() => void)[] = [];
    const answer = () =>
      new Promise<JobReply>(resolve => ends.push(() => resolve({ code: 200, sealed: '' })));
    const worker = backend.makeWorker('catalog', answer, 2);
    const renewed: string[] = [];
    worker.getBackend().extendLocks = async (_ids, tokens) => {
      renewed.push(...tokens);
      return [];
    };
    const begin = (id: string, token: string) => {
      const job = { id, processedOn: Date.now(), opts: {}, moveToCompleted: async () => {} };
      return worker.processJob(job as never, token);
    };
    const [first, second] = [begin('k1', 'first'), begin('k1', 'second')];
    ends[0]?.();
    await first;
    renewed.length = 0;
    await eventually(
      () => renewed,
      tokens => tokens.includes('second'),
    );
    ends[1]?.();
    await second;
    renewed.length = 0;
    // When the lock of another job is renewed, there was time for that one.
    const third = begin('k2', 'third');
    await eventually(
      () => renewed,
      tokens => tokens.includes('third'),
    );
    expect(new Set(renewed)).to.deep.equal(new Set(['third']));
    ends[2]?.();
    await third;
    await worker.close();
  });
});
