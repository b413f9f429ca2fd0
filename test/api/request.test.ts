import { expect } from 'chai';
import { makeAsk } from '../../api/request.ts';
import type { QueueName } from '../../queues/contract/queues.ts';
import type { Request } from '../../queues/transport/request.ts';

describe('the requests of a token in a queue without a fair order', () => {
  const asked: string[] = [];
  const ends: (() => void)[] = [];
  const startLimit = () => new AbortController().signal;
  const ask = makeAsk({
    startLimit: ({ timeoutMs }) => (timeoutMs === 0 ? AbortSignal.timeout(0) : startLimit()),
    ask: async ({ requestId }) => {
      asked.push(requestId);
      await new Promise<void>(end => ends.push(end));
      return { code: 200, data: requestId };
    },
  });
  const send = (tokenId: string, requestId: string, more: Partial<Request> = {}) =>
    ask({
      queue: 'catalog',
      requestId,
      caller: { tokenId },
      clientGone: new AbortController().signal,
      ...more,
    } as Request);
  const endFirst = () => ends.shift()?.();

  beforeEach(() => {
    asked.length = 0;
    ends.length = 0;
  });

  async function endAll(requests: Promise<unknown>[]): Promise<void> {
    const ended = Promise.all(requests);
    while (await Promise.race([ended.then(() => false), new Promise(resolve => setImmediate(resolve, true))]))
      endFirst();
  }

  it('are few at a time, and those of another token do not wait for the rest', async () => {
    const loud = Array.from({ length: 100 }, (_, at) => send('loud', `loud ${at}`));
    const calm = send('calm', 'calm');
    expect(asked.length).to.be.below(20);
    expect(asked).to.include('calm');
    await endAll([...loud, calm]);
    expect(asked.filter(id => id !== 'calm')).to.deep.equal(loud.map((_, at) => `loud ${at}`));
  });

  it('do not wait for those of the token in another queue, which take longer', async () => {
    const reports = Array.from({ length: 100 }, (_, at) =>
      send('loud', `report ${at}`, { queue: 'reports' }),
    );
    const quick = send('loud', 'quick');
    expect(asked).to.include('quick');
    await endAll([...reports, quick]);
  });

  it('are unlimited in a queue with a fair order', async () => {
    const turns = Array.from({ length: 100 }, (_, at) =>
      send('loud', `turn ${at}`, { queue: 'turns' satisfies QueueName }),
    );
    expect(asked).to.have.length(100);
    await endAll(turns);
  });

  it('are not begun for a client that disconnected while they waited', async () => {
    const client = new AbortController();
    const before = Array.from({ length: 100 }, (_, at) => send('loud', `loud ${at}`));
    const gone = send('loud', 'gone', { clientGone: client.signal });
    client.abort();
    await endAll([...before, gone]);
    expect(await gone).to.include({ code: 503 });
    expect(asked).to.have.length(100);
  });

  it('are refused with 408 at their deadline, however long those before them take', async () => {
    const before = Array.from({ length: 100 }, (_, at) => send('loud', `loud ${at}`));
    expect(await send('loud', 'late', { timeoutMs: 0 })).to.include({ code: 408 });
    await endAll(before);
    expect(asked).to.have.length(100);
  });

  it('give their places back when they fail', async () => {
    const failing = makeAsk({ ask: async () => Promise.reject(new Error('store')), startLimit });
    const request = {
      queue: 'catalog',
      caller: { tokenId: 'loud' },
      clientGone: new AbortController().signal,
    };
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, () => failing(request as unknown as Request)),
    );
    expect(results.map(({ status }) => status)).to.deep.equal(Array(100).fill('rejected'));
  });
});
