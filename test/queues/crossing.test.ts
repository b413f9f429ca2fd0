import { expect } from 'chai';
import { isFailure } from '../../queues/contract/failure.ts';
import { type Crossing, openCrossing } from '../support/crossing.ts';

describe('a question that crosses the queue', () => {
  let crossing: Crossing;
  before(async () => {
    crossing = await openCrossing({ timeoutMs: 5_000 });
  });
  after(() => crossing.close());

  it('comes back as the outcome that the worker gave, whatever its code', async () => {
    crossing.answerWith(async run => ({ code: 200, data: run.body }));
    expect(await crossing.ask({ question: 'olá' })).to.deep.equal({ code: 200, data: { question: 'olá' } });
    crossing.answerWith(async () => ({ code: 404, message: 'Conversation not found' }));
    expect(await crossing.ask({})).to.deep.equal({ code: 404, message: 'Conversation not found' });
  });

  it('comes back for each of many that ask at once, to whoever asked it', async () => {
    crossing.answerWith(async run => ({ code: 200, data: run.body }));
    const asked = Array.from({ length: 300 }, (_, n) => ({ n }));
    const outcomes = await Promise.all(asked.map(body => crossing.ask(body)));
    expect(outcomes).to.deep.equal(asked.map(data => ({ code: 200, data })));
  });

  it('leaves nothing readable of body and reply in the store', async () => {
    crossing.answerWith(async () => ({ code: 200, data: { answer: 'segredo-da-resposta' } }));
    await crossing.ask({ question: 'segredo-da-pergunta' });
    const stored = await crossing.storedText();
    expect(stored).to.include('requestId');
    expect(stored).to.not.include('segredo');
  });

  it('ends with 500 and nothing of the error when the handler has a bug', async () => {
    crossing.answerWith(async () => {
      throw new Error('secret detail');
    });
    const outcome = await crossing.ask({});
    expect(outcome.code).to.equal(500);
    expect(JSON.stringify(outcome)).to.not.include('secret');
    expect(crossing.bugs.splice(0)).to.have.length(1);
  });

  it('ends with 408 within 250 ms of its deadline, also when the handler is deaf', async () => {
    crossing.answerWith(() => new Promise(() => {}));
    const startedAt = performance.now();
    const outcome = await crossing.ask({}, { timeoutMs: 400 });
    const late = performance.now() - startedAt - 400;
    expect(outcome.code).to.equal(408);
    expect(late).to.be.within(-20, 250);
  });

  it('aborts its handler at the deadline', async () => {
    const aborted = new Promise<void>(resolve => {
      crossing.answerWith(async run => {
        await new Promise<void>(stop => run.signal.addEventListener('abort', () => stop(), { once: true }));
        resolve();
        throw new Error('stopped');
      });
    });
    await crossing.ask({}, { timeoutMs: 200 });
    await aborted;
    expect(crossing.bugs).to.deep.equal([]);
  });

  it('is never begun after its deadline', async () => {
    let begun = 0;
    crossing.answerWith(async () => {
      begun += 1;
      return { code: 200, data: {} };
    });
    const outcome = await crossing.ask({}, { arrivedAt: crossing.now() - 10_000, timeoutMs: 5_000 });
    expect(outcome.code).to.equal(408);
    expect(begun).to.equal(0);
  });

  it('is cancelled in the worker when the client goes', async () => {
    const client = new AbortController();
    const aborted = new Promise<void>(resolve => {
      crossing.answerWith(run => {
        client.abort();
        return new Promise(() => run.signal.addEventListener('abort', () => resolve(), { once: true }));
      });
    });
    await crossing.ask({}, { gone: client.signal });
    await aborted;
  });

  it('is never begun when the client goes while it waits', async () => {
    const busy = await openCrossing({ timeoutMs: 5_000, concurrency: 1 });
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
    const waiting = busy.ask('second', { gone: client.signal });
    const told = new Promise<string>(resolve => busy.onCancelled(resolve));
    client.abort();
    await Promise.all([waiting, told]);
    const last = busy.ask('third');
    finishFirst();
    await Promise.all([running, last]);
    expect(begun).to.deep.equal(['first', 'third']);
    await busy.close();
  });
});

describe('questions under one Idempotency-Key', () => {
  let crossing: Crossing;
  let runs = 0;
  before(async () => {
    crossing = await openCrossing({ timeoutMs: 5_000 });
  });
  beforeEach(() => {
    runs = 0;
  });
  after(() => crossing.close());

  const counted = (code: 200 | 404 | 503) => async () => {
    runs += 1;
    return code === 200 ? { code, data: { runs } } : { code, message: 'no' };
  };

  it('are one job: those that come meanwhile and those that come after get its reply', async () => {
    crossing.answerWith(counted(200));
    const ask = () => crossing.ask({ n: 1 }, { idempotencyKey: 'one' });
    const outcomes = [...(await Promise.all([ask(), ask(), ask()])), await ask()];
    expect(outcomes).to.deep.equal(Array.from({ length: 4 }, () => ({ code: 200, data: { runs: 1 } })));
  });

  it('are refused with 422 when the body differs, and the first goes on', async () => {
    crossing.answerWith(counted(200));
    const [first, second] = await Promise.all([
      crossing.ask({ n: 1 }, { idempotencyKey: 'two' }),
      crossing
        .ask({ n: 1 }, { idempotencyKey: 'two' })
        .then(() => crossing.ask({ n: 2 }, { idempotencyKey: 'two' })),
    ]);
    expect([first?.code, second?.code]).to.deep.equal([200, 422]);
  });

  it('are run anew after an end that is our own trouble, but not after a refusal', async () => {
    for (const [code, expected] of [
      [503, 2],
      [404, 1],
    ] as const) {
      runs = 0;
      crossing.answerWith(counted(code));
      const ask = () => crossing.ask({ n: 1 }, { idempotencyKey: `after-${code}` });
      expect((await ask()).code).to.equal(code);
      expect((await ask()).code).to.equal(code);
      expect(runs).to.equal(expected);
    }
  });

  it('that try again at the same time all get the reply of a new run', async () => {
    crossing.answerWith(counted(503));
    const ask = () => crossing.ask({ n: 1 }, { idempotencyKey: 'race' });
    await ask();
    crossing.answerWith(counted(200));
    runs = 0;
    const outcomes = await Promise.all([ask(), ask(), ask(), ask()]);
    expect(outcomes.filter(isFailure)).to.deep.equal([]);
    expect(runs).to.be.at.least(1);
  });

  it('of different hosts or operations have nothing to do with each other', async () => {
    crossing.answerWith(counted(200));
    await crossing.ask({}, { idempotencyKey: 'same', hostIds: ['host-a'] });
    await crossing.ask({}, { idempotencyKey: 'same', hostIds: ['host-b'] });
    expect(runs).to.equal(2);
  });

  it('are not cancelled by a client that goes', async () => {
    const client = new AbortController();
    crossing.answerWith(async () => {
      client.abort();
      return { code: 200, data: {} };
    });
    await crossing.ask({}, { idempotencyKey: 'left', gone: client.signal });
    expect(await crossing.ask({}, { idempotencyKey: 'left' })).to.deep.equal({ code: 200, data: {} });
  });
});
