import { expect } from 'chai';
import { isFailure } from '../../queues/contract/failure.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { openQueuePair } from './queue-pair.ts';

describe('a question that crosses the queue', () => {
  const pair = openOnce(() => openQueuePair({ timeoutMs: 5_000 }));

  it('comes back as the outcome that the worker gave, whatever its code', async () => {
    pair.answerWith(async run => ({ code: 200, data: run.body }));
    expect(await pair.ask({ question: 'olá' })).to.deep.equal({ code: 200, data: { question: 'olá' } });
    pair.answerWith(async () => ({ code: 404, message: 'Conversation not found' }));
    expect(await pair.ask({})).to.deep.equal({ code: 404, message: 'Conversation not found' });
  });

  it('comes back for each of many that ask at once, to whoever asked it', async () => {
    pair.answerWith(async run => ({ code: 200, data: run.body }));
    const asked = Array.from({ length: 300 }, (_, n) => ({ n }));
    const outcomes = await Promise.all(asked.map(body => pair.ask(body)));
    expect(outcomes).to.deep.equal(asked.map(data => ({ code: 200, data })));
  });

  it('leaves nothing readable of body and reply in the store', async () => {
    pair.answerWith(async () => ({ code: 200, data: { answer: 'segredo-da-resposta' } }));
    await pair.ask({ question: 'segredo-da-pergunta' });
    const stored = await pair.storedText();
    expect(stored).to.include('requestId');
    expect(stored).to.not.include('segredo');
  });

  it('ends with 500 and nothing of the error when the handler has a bug', async () => {
    pair.answerWith(async () => {
      throw new Error('secret detail');
    });
    const outcome = await pair.ask({});
    expect(outcome.code).to.equal(500);
    expect(JSON.stringify(outcome)).to.not.include('secret');
    expect(pair.bugs.splice(0)).to.have.length(1);
  });

  it('ends with 408 at its deadline, also when the handler is deaf', async () => {
    pair.answerWith(() => new Promise(() => {}));
    const outcome = await pair.ask({}, { timeoutMs: 400 });
    expect(outcome.code).to.equal(408);
  });

  it('aborts its handler at the deadline', async () => {
    const aborted = new Promise<void>(resolve => {
      pair.answerWith(async run => {
        await new Promise<void>(stop => run.signal.addEventListener('abort', () => stop(), { once: true }));
        resolve();
        throw new Error('stopped');
      });
    });
    await pair.ask({}, { timeoutMs: 200 });
    await aborted;
    expect(pair.bugs).to.deep.equal([]);
  });

  it('is never begun after its deadline', async () => {
    let begun = 0;
    pair.answerWith(async () => {
      begun += 1;
      return { code: 200, data: {} };
    });
    const outcome = await pair.ask({}, { arrivedAt: pair.now() - 10_000, timeoutMs: 5_000 });
    expect(outcome.code).to.equal(408);
    expect(begun).to.equal(0);
  });

  it('is cancelled in the worker when the client goes', async () => {
    const client = new AbortController();
    const aborted = new Promise<void>(resolve => {
      pair.answerWith(run => {
        client.abort();
        return new Promise(() => run.signal.addEventListener('abort', () => resolve(), { once: true }));
      });
    });
    await pair.ask({}, { clientGone: client.signal });
    await aborted;
  });

  it('is never begun when the client goes while it waits, however long that is', async () => {
    const busy = await openQueuePair({ timeoutMs: 600_000, concurrency: 1 });
    const begun: unknown[] = [];
    let finishFirst = () => {};
    const first = new Promise<void>(resolve => (finishFirst = resolve));
    const client = new AbortController();
    const firstIsRunning = new Promise<void>(resolve => {
      busy.answerWith(async run => {
        begun.push(run.body);
        resolve();
        await first;
        return { code: 200, data: {} };
      });
    });
    const running = busy.ask('first');
    await firstIsRunning;
    const waiting = busy.ask('second', { clientGone: client.signal });
    const told = new Promise<string>(resolve => busy.onCancelled(resolve));
    const { now } = performance;
    // It went a minute and a half ago.
    performance.now = () => now.call(performance) - 90_000;
    try {
      client.abort();
      await Promise.all([waiting, told]);
    } finally {
      performance.now = now;
    }
    finishFirst();
    await running;
    // Refused where the clock of the store was being read while this one jumped.
    await eventually(() => busy.ask('third'), { code: 200 });
    await busy.close();
    // A machine that is busy for seconds may have a job begun twice.
    expect([...new Set(begun)]).to.deep.equal(['first', 'third']);
  });
});

describe('questions under one Idempotency-Key', () => {
  const pair = openOnce(() => openQueuePair({ timeoutMs: 5_000 }));
  let runs = 0;
  beforeEach(() => {
    runs = 0;
  });

  const counted = (code: 200 | 404 | 503) => async () => {
    runs += 1;
    return code === 200 ? { code, data: { runs } } : { code, message: 'no' };
  };

  it('are one job: those that come meanwhile and those that come after get its reply', async () => {
    pair.answerWith(counted(200));
    const ask = () => pair.ask({ n: 1 }, { idempotencyKey: 'one' });
    const outcomes = [...(await Promise.all([ask(), ask(), ask()])), await ask()];
    expect(outcomes).to.deep.equal(Array.from({ length: 4 }, () => ({ code: 200, data: { runs: 1 } })));
  });

  it('are refused with 422 when the body differs, and the first goes on', async () => {
    pair.answerWith(counted(200));
    const [first, second] = await Promise.all([
      pair.ask({ n: 1 }, { idempotencyKey: 'two' }),
      pair.ask({ n: 1 }, { idempotencyKey: 'two' }).then(() => pair.ask({ n: 2 }, { idempotencyKey: 'two' })),
    ]);
    expect([first?.code, second?.code]).to.deep.equal([200, 422]);
  });

  it('are run anew after an end that is our own trouble, but not after a refusal', async () => {
    for (const [code, expected] of [
      [503, 2],
      [404, 1],
    ] as const) {
      runs = 0;
      pair.answerWith(counted(code));
      const ask = () => pair.ask({ n: 1 }, { idempotencyKey: `after-${code}` });
      expect((await ask()).code).to.equal(code);
      expect((await ask()).code).to.equal(code);
      expect(runs).to.equal(expected);
    }
  });

  it('that try again at the same time all get the reply of a new run', async () => {
    pair.answerWith(counted(503));
    const ask = () => pair.ask({ n: 1 }, { idempotencyKey: 'race' });
    await ask();
    pair.answerWith(counted(200));
    runs = 0;
    const outcomes = await Promise.all([ask(), ask(), ask(), ask()]);
    expect(outcomes.filter(isFailure)).to.deep.equal([]);
    expect(runs).to.be.at.least(1);
  });

  it('of different hosts or operations have nothing to do with each other', async () => {
    pair.answerWith(counted(200));
    await pair.ask({}, { idempotencyKey: 'same', hostIds: ['host-a'] });
    await pair.ask({}, { idempotencyKey: 'same', hostIds: ['host-b'] });
    expect(runs).to.equal(2);
  });

  it('are not cancelled by a client that goes', async () => {
    const client = new AbortController();
    const cancelled: string[] = [];
    pair.onCancelled(jobId => cancelled.push(jobId));
    pair.answerWith(async ({ idempotencyKey, signal }) => {
      if (idempotencyKey === undefined) return { code: 200, data: {} };
      client.abort();
      // A question without a key is cancelled, and workers are told in order.
      await pair.ask({}, { clientGone: AbortSignal.abort() });
      await eventually(
        () => cancelled.length,
        count => count > 0,
      );
      return { code: 200, data: { isAborted: signal.aborted } };
    });
    await pair.ask({}, { idempotencyKey: 'left', clientGone: client.signal });
    const outcome = await pair.ask({}, { idempotencyKey: 'left' });
    expect(outcome).to.deep.equal({ code: 200, data: { isAborted: false } });
    expect(cancelled).to.have.length(1);
  });
});
