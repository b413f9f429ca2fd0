import { expect } from 'chai';
import { openBackend } from '../../queues/transport/backend.ts';
import type { ParleyWorker } from '../../queues/transport/parts.ts';
import type { JobReply } from '../../queues/transport/store.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { makeQueueStore } from '../support/queue-store.ts';

describe('the locks of the jobs that a worker runs', () => {
  const store = openOnce(makeQueueStore);
  const backend = openOnce(() => openBackend({ ...store, onError: () => {} }));
  let worker: ParleyWorker;
  /** The tokens of the jobs whose locks were renewed. */
  let renewed: string[];
  let ends: (() => void)[];
  let isLost: boolean;
  const { now } = Date;
  beforeEach(() => {
    [renewed, ends, isLost] = [[], [], false];
    const answer = () =>
      new Promise<JobReply>(resolve => ends.push(() => resolve({ code: 200, sealed: '' })));
    worker = backend.makeWorker('catalog', answer, 2);
    worker.getBackend().extendLocks = async (ids, tokens) => {
      renewed.push(...tokens);
      return isLost ? ids : [];
    };
  });
  afterEach(async () => {
    Date.now = now;
    await worker.close();
  });
  const begin = (id: string, token: string, moveToCompleted = async () => {}) =>
    worker.processJob({ id, processedOn: Date.now(), opts: {}, moveToCompleted } as never, token);
  const untilRenewed = (token: string) => {
    renewed.length = 0;
    return eventually(() => renewed.includes(token), true);
  };

  it('are renewed for the second run of a job, whose first has lost its lock, after the end of that and until its own', async () => {
    const [first, second] = [begin('k1', 'first'), begin('k1', 'second')];
    ends[0]?.();
    await first;
    await untilRenewed('second');
    ends[1]?.();
    await second;
    // When the lock of another job is renewed, there was time for that one.
    const third = begin('k2', 'third');
    await untilRenewed('third');
    expect(new Set(renewed)).to.deep.equal(new Set(['third']));
    ends[2]?.();
    await third;
  });

  it('are renewed until its outcome is stored, and told of as lost only until there is one', async () => {
    const errors: Error[] = [];
    worker.on('error', error => errors.push(error));
    isLost = true;
    let store = () => {};
    const stored = new Promise<void>(resolve => (store = resolve));
    const run = begin('k1', 'only', () => stored);
    await eventually(() => errors.length > 0, true);
    ends[0]?.();
    const told = errors.length;
    await untilRenewed('only');
    expect(errors).to.have.length(told);
    expect(errors[0]?.message).to.equal('could not renew lock for job k1');
    store();
    await run;
  });

  it('are renewed also where the clock of the machine is set back', async () => {
    const run = begin('k1', 'only');
    await untilRenewed('only');
    Date.now = () => now() - 3_600_000;
    await untilRenewed('only');
    ends[0]?.();
    await run;
  });
});
