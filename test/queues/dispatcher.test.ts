import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { makeSeal } from '../../platform/seal.ts';
import type { TurnPiece } from '../../queues/contract/answer-piece.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { QueueName } from '../../queues/contract/queues.ts';
import { type Backend, closePart, openBackend } from '../../queues/transport/backend.ts';
import { type Consumer, type JobHandler, makeConsumer } from '../../queues/transport/consumer.ts';
import { type Dispatcher, makeDispatcher } from '../../queues/transport/dispatcher.ts';
import { makeQueuedJob, type Request } from '../../queues/transport/request.ts';
import type { StoredReplyFinder } from '../../queues/transport/stored-reply.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { makeQueueStore } from '../support/queue-store.ts';
import { PAIR_KEY } from './queue-pair.ts';

describe('the api side of a queue', () => {
  const store = openOnce(makeQueueStore);
  const backend = openOnce(() => openBackend({ ...store, onError: () => {} }));
  let dispatcher: Dispatcher | undefined;
  const consumers: Consumer[] = [];
  afterEach(() => Promise.all(consumers.splice(0).map(consumer => consumer.close(0))));
  afterEach(() => dispatcher?.close());

  /** Asks a dispatcher whose backend differs in this. */
  async function ask(
    queue: QueueName,
    changes: Partial<Backend>,
    more: Partial<Request> = {},
    findStored?: StoredReplyFinder,
  ) {
    const own = { ...backend, ...changes };
    dispatcher = await makeDispatcher(own, makeSeal(PAIR_KEY), [queue], findStored);
    return dispatcher.ask({ ...requestOf(queue), arrivedAt: own.now(), ...more });
  }

  const requestOf = (queue: QueueName): Request => ({
    operation: 'reason',
    queue,
    requestId: randomUUID(),
    arrivedAt: backend.now(),
    timeoutMs: 30_000,
    caller: { tokenId: 't', tokenName: 't', scopes: [], hostIds: ['host'] },
    body: {},
    clientGone: new AbortController().signal,
  });

  const nothing = { onError: () => {}, onUnreadable: () => {}, onBug: () => {} };
  const work = async (handle: JobHandler['handle'], seal = makeSeal(PAIR_KEY)) => {
    const side = { backend, seal, queue: 'turns', concurrency: 1 } as const;
    const consumer = await makeConsumer({ ...side, ...nothing, handle, storeOutcome: async () => {} });
    consumers.push(consumer);
    return consumer;
  };

  it('takes the outcome of its own keyed job, also one of trouble that came before the add was confirmed', async () => {
    let runs = 0;
    await work(async () => {
      runs += 1;
      return { code: 503, message: 'busy' };
    });
    const addJob: Backend['addJob'] = async (queue, job) => {
      await backend.addJob(queue, job);
      await eventually(
        () => backend.findFinished(queue, [job.jobId]),
        ([finished]) => finished?.state === 'completed',
      );
    };
    const outcome = await ask('turns', { addJob }, { idempotencyKey: 'own' });
    expect(outcome).to.deep.equal({ code: 503, message: 'busy' });
    expect(runs).to.equal(1);
  });

  it('does not run a job again with the data of its first request', async () => {
    let runs = 0;
    await work(async () => {
      runs += 1;
      return { code: 503, message: 'busy' };
    });
    const makeQueue: Backend['makeQueue'] = name => {
      const queue = backend.makeQueue(name);
      queue.getBackend().replaceFinished = () => Promise.reject(new Error('Command timed out'));
      return queue;
    };
    const again = async (changes: Partial<Backend>) => {
      const { code } = await ask('turns', changes, { idempotencyKey: 'again' });
      await dispatcher?.close();
      return [code, runs];
    };
    expect(await again({})).to.deep.equal([503, 1]);
    expect(await again({ makeQueue })).to.deep.equal([503, 1]);
    expect(await again({})).to.deep.equal([503, 2]);
  });

  it('does not change what a job is asked while it waits or runs', async () => {
    const asked = { ...requestOf('turns'), body: 'ours' };
    const queue = backend.makeQueue('turns');
    const job = await makeQueuedJob(asked, makeSeal(PAIR_KEY), 'requester');
    const theirs = await makeQueuedJob({ ...asked, body: 'theirs' }, makeSeal(PAIR_KEY), 'requester');
    const replace = () =>
      queue
        .getBackend()
        .replaceFinished({ ...theirs, jobId: job.jobId })
        .catch(() => undefined);
    const sealedNow = async () => (await queue.getJob(job.jobId))?.data.sealed;
    await backend.addJob(queue, { ...job, name: 'reason' });
    await replace();
    expect(await sealedNow()).to.equal(job.data.sealed);
    let sealedInRun: string | undefined;
    await work(async ({ body }) => {
      await replace();
      sealedInRun = await sealedNow();
      return { code: 200, data: body };
    });
    await eventually(
      () => backend.findFinished(queue, [job.jobId]),
      ([finished]) => finished?.state === 'completed',
    );
    await closePart(queue);
    expect(sealedInRun).to.equal(job.data.sealed);
  });

  /** The outcome of a retry whose key another request, with another body, retries at the same moment and gets. */
  async function shareRun(idempotencyKey: string, isBusyAgain: boolean) {
    let isBusy = true;
    await work(async ({ body }) => (isBusy ? { code: 503, message: 'busy' } : { code: 200, data: body }));
    expect(await ask('turns', {}, { idempotencyKey, body: 'ours' })).to.include({ code: 503 });
    await dispatcher?.close();
    isBusy = isBusyAgain;
    const other = { ...requestOf('turns'), idempotencyKey, body: 'theirs' };
    const theirs = await makeQueuedJob(other, makeSeal(PAIR_KEY), 'requester');
    const makeQueue: Backend['makeQueue'] = name => {
      const queue = backend.makeQueue(name);
      const ours = queue.getBackend();
      const replace = ours.replaceFinished.bind(ours);
      ours.replaceFinished = job => replace(job).then(() => replace(theirs));
      return queue;
    };
    const outcome = await ask('turns', { makeQueue }, { idempotencyKey, body: 'ours' });
    return outcome;
  }

  it('refuses a request whose key another one with another body has retried at the same moment', async () => {
    expect(await shareRun('both', false)).to.deep.equal(failure('key-reused'));
  });

  it('lets such a request try again where the outcome of the other frees the key', async () => {
    const { code, message } = failure('interrupted');
    expect(await shareRun('none', true)).to.include({ code, message });
  });

  it('takes the outcome of a job whose add was never confirmed, and which ended all the same', async () => {
    await work(async () => ({ code: 201, data: 'made' }));
    let tell = () => {};
    const told = new Promise<void>(resolve => (tell = resolve));
    const listen: Backend['ends']['listen'] = (name, listener) =>
      backend.ends.listen(name, {
        ...listener,
        noteEnd(...end) {
          listener.noteEnd(...end);
          tell();
        },
      });
    const addJob: Backend['addJob'] = async (queue, job) => {
      await backend.addJob(queue, job);
      await told;
      throw new Error('Command timed out');
    };
    const outcome = await ask('turns', { addJob, ends: { ...backend.ends, listen } });
    expect(outcome).to.deep.equal({ code: 201, data: 'made' });
  });

  it('has the stored reply of a key for its own body, also after another one was refused under it', async () => {
    await work(async () => failure('key-reused'));
    const outcome = { code: 200, data: 'first' } as const;
    const stored: StoredReplyFinder = async () => ({ outcome, bodyMac: makeSeal(PAIR_KEY).mac('first') });
    const askWith = async (body: string, findStored?: StoredReplyFinder) => {
      const told = await ask('turns', {}, { idempotencyKey: 'taken', body }, findStored);
      await dispatcher?.close();
      return told;
    };
    expect(await askWith('second', stored)).to.deep.equal(failure('key-reused'));
    expect(await askWith('first', stored)).to.deep.equal(outcome);
    // Without a reply the key belongs to whoever has the job.
    expect(await askWith('first')).to.deep.equal(failure('key-reused'));
  });

  it('leaves out a piece that cannot be opened, also while an earlier one is still being opened', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const seal = makeSeal(PAIR_KEY);
    let count = 0;
    const open: typeof seal.open = async (sealed, label) => {
      count += 1;
      if (count === 2) throw new Error('Unsupported state or unable to authenticate data');
      if (count === 1) await eventually(() => count, 3);
      return seal.open(sealed, label);
    };
    const texts: unknown[] = [];
    const hasBoth = () => eventually(() => texts.length, 2);
    const consumer = await work(async ({ sendPiece }) => {
      for (const text of ['first', 'second', 'third']) sendPiece?.({ version: 1, at: 0, text });
      await hasBoth();
      return { code: 200, data: texts.length };
    });
    dispatcher = await makeDispatcher(backend, { ...seal, open }, ['turns']);
    const onPiece = (piece: TurnPiece) => texts.push('text' in piece ? piece.text : piece);
    expect(await dispatcher.ask({ ...requestOf('turns'), onPiece })).to.deep.equal({ code: 200, data: 2 });
    expect(texts).to.deep.equal(['first', 'third']);
    await consumer.close(0);
    process.off('unhandledRejection', note);
    expect(unhandled).to.deep.equal([]);
  });

  it('passes the pieces on in the order in which they were written, whichever is sealed first', async () => {
    const seal = makeSeal(PAIR_KEY);
    let sealed = 0;
    const sealFirstLast: typeof seal.seal = async (value, label) => {
      if ((value as { text?: string }).text === 'first') await eventually(() => sealed, 2);
      else sealed += 1;
      return seal.seal(value, label);
    };
    const texts: unknown[] = [];
    await work(
      async ({ sendPiece }) => {
        for (const text of ['first', 'second', 'third']) sendPiece?.({ version: 1, at: 0, text });
        await eventually(() => texts.length, 3);
        return { code: 200, data: null };
      },
      { ...seal, seal: sealFirstLast },
    );
    dispatcher = await makeDispatcher(backend, seal, ['turns']);
    const onPiece = (piece: TurnPiece) => texts.push('text' in piece ? piece.text : piece);
    await dispatcher.ask({ ...requestOf('turns'), onPiece });
    expect(texts).to.deep.equal(['first', 'second', 'third']);
  });

  it('takes the reply that a commit stored at the last moment of a job which ended at its deadline', async () => {
    await work(async () => failure('deadline'));
    const outcome = { code: 200, data: 'in time' } as const;
    const committed = await ask('turns', {}, {}, async () => ({ outcome, bodyMac: undefined }));
    await dispatcher?.close();
    const late = await ask('turns', {});
    expect([committed.code, late.code]).to.deep.equal([200, 408]);
  });

  it('refuses with 408 at the deadline, and with 503 where the store does not work then', async () => {
    const arrivedAt = backend.now();
    for (const [works, code] of [
      [true, 408],
      [false, 503],
    ] as const) {
      let isReady = true;
      const addJob: Backend['addJob'] = async (queue, job) => {
        await backend.addJob(queue, job);
        isReady = works;
      };
      // The clock stands, so that the deadline never passes before the job is added.
      const changes = { addJob, now: () => arrivedAt, isReady: () => isReady };
      const outcome = await ask('catalog', changes, { timeoutMs: 30 });
      expect(outcome.code).to.equal(code);
      await dispatcher?.close();
    }
  });
});
