import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { failure } from '../../queues/contract/failure.ts';
import { NO_MASKING } from '../../workers/domain/masking/masking.ts';
import { noAnswerFailureOf, type TextListener } from '../../workers/model/model-call.ts';
import { makeOpenAiProvider } from '../../workers/model/openai.ts';
import { NO_TOKENS } from '../../workers/model/prices.ts';
import { type SpendLedger, SpendRefusedError } from '../../workers/model/spender.ts';
import type { ModelCall } from '../../workers/model/tries.ts';
import { modelAt, noLedger, spenderOf } from '../support/no-ledger.ts';
import { openOnce } from '../support/opened.ts';
import { fail, type ModelScript, say, startScriptedModel } from '../support/scripted-model.ts';

/** Each model of the provider has its script. */
const byModel =
  (scripts: Record<string, ModelScript>): ModelScript =>
  (request, response) =>
    scripts[request.model]?.(request, response);

const reset: ModelScript = (_request, response) => void response.destroy();
const stall: ModelScript = () => {};
const nonsense: ModelScript = (_request, response) => void response.end('{"choices":[{}]}');
/** Begins a response, sends these parts at once, and then nothing more, or the last one again and again. */
const stallAfter =
  (type: 'application/json' | 'text/event-stream', parts: readonly string[], repeated = ''): ModelScript =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': type }).flushHeaders();
    for (const part of parts) response.write(part);
    if (repeated === '') return;
    const timer = setInterval(() => response.write(repeated), 20);
    response.once('close', () => clearInterval(timer));
  };
const chunk = (delta: object, more = {}) =>
  `data: ${JSON.stringify({ model: 'primary', choices: [{ index: 0, delta, ...more }] })}\n\n`;
const role = chunk({ role: 'assistant', content: '' });
const slowPieces =
  (pieces: readonly string[]): ModelScript =>
  async (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    for (const piece of pieces) {
      response.write(piece);
      await delay(300);
    }
    response.end();
  };

interface AskOptions {
  readonly hostId?: string;
  /** Nothing ends when it is over: a model that may answer has all the time that a machine may stop. */
  readonly remainingMs?: number;
  readonly fallbacks?: string[];
  readonly textListener?: TextListener | undefined;
  readonly question?: string;
  readonly purpose?: 'turn' | 'insight';
}

describe('a model with fallbacks', () => {
  const scripted = openOnce(startScriptedModel);

  const makeAsker = (fallbacks?: Record<string, string[]>, ledger = noLedger) => {
    const provider = makeOpenAiProvider('main', { baseURL: scripted.baseURL });
    const known = new Set(['primary', 'second', 'third']);
    const directory = { providerOf: async (name: string) => (known.has(name) ? provider : undefined) };
    const model = modelAt(scripted, { directory, defaultModel: 'primary', fallbacks, ledger });
    return async (options: AskOptions = {}) => {
      const { remainingMs = 10_000, hostId = 'a', question = 'Oi?', purpose = 'turn', ...others } = options;
      const { answer, calls } = await model
        .complete(undefined, [{ role: 'user', content: question }], {
          purpose,
          spender: spenderOf(hostId),
          masking: NO_MASKING,
          signal: new AbortController().signal,
          remainingMs: () => remainingMs,
          ...others,
        })
        .catch(() => ({ answer: undefined, calls: [] as ModelCall[] }));
      return {
        text: answer?.text,
        model: answer?.model,
        tries: calls.map(({ name, status }) => `${name} ${status}`),
        calls,
      };
    };
  };
  const primaryOnly = { primary: ['second'] };

  for (const [name, script, status] of [
    ['refuses with 429', fail(429), 429],
    ['fails with 500', fail(500), 500],
    ['refuses the key', fail(401), 401],
    ['resets the connection', reset, 0],
    ['answers with nonsense', nonsense, 0],
  ] as const)
    it(`that ${name} is followed by the next, at once, with a line for each try`, async () => {
      scripted.script(byModel({ primary: script, second: say('Do segundo.') }));
      const asked = await makeAsker(primaryOnly)();
      expect(asked).to.deep.include({ text: 'Do segundo.', model: 'second' });
      expect(asked.tries).to.deep.equal([`primary ${status}`, 'second 200']);
    });

  it('that begins no response in a third of the time is left, and the next has the rest', async () => {
    scripted.script(byModel({ primary: stall, second: say('Do segundo.') }));
    const { text, calls } = await makeAsker(primaryOnly)({ remainingMs: 3_000 });
    expect(text).to.equal('Do segundo.');
    expect(calls[0]?.error).to.equal('nothing came in time');
  });

  const half = '{"choices":[{"message":{"content":"Pela';
  const stalls = [
    ['sends nothing after the headers', stallAfter('application/json', []), false],
    ['sends blanks only', stallAfter('application/json', [' '], '\n'), false],
    ['sends half of its answer', stallAfter('application/json', [half]), false],
    ['sends a sign of its answer now and then', stallAfter('application/json', [half], '.'), false],
    ['answers a stream with a body that never ends', stallAfter('application/json', [half], '.'), true],
    ['sends nothing after the headers of a stream', stallAfter('text/event-stream', []), true],
    ['sends signs of life only', stallAfter('text/event-stream', [role], ': working\n\n'), true],
    ['sends empty pieces only', stallAfter('text/event-stream', [role], role), true],
    ['sends half of a stream', stallAfter('text/event-stream', [role, chunk({ content: 'Pela' })]), true],
    [
      'sends empty pieces after half of a stream',
      stallAfter('text/event-stream', [chunk({ content: 'Pela' })], role),
      true,
    ],
    ['answers a stream with half a body', stallAfter('application/json', [half]), true],
  ] as const;
  describe('that begins a response', () => {
    const asked = new Map<string, ReturnType<ReturnType<typeof makeAsker>>>();
    const [SLOW, OPEN] = ['sends one piece after the other', 'does not end its stream'];
    const openings = ['{"choices":', '[', '{"message":', '{"content":', '"'];
    const inPieces = slowPieces([...openings, 'De', 'va', 'gar', '."', '}}]}']);
    const finished = [chunk({ content: 'Inteira.' }), chunk({}, { finish_reason: 'stop' })];
    /** All at once: each takes a second, the slow one three, between whose pieces the machine may stop for two. */
    before(() => {
      const stalling = new Map<string, ModelScript>([
        ...stalls.map(([name, script]) => [name, script] as const),
        [SLOW, inPieces],
        [OPEN, stallAfter('text/event-stream', finished)],
      ]);
      const primary: ModelScript = (request, response) =>
        stalling.get(request.messages.at(-1)?.content ?? '')?.(request, response);
      scripted.script(byModel({ primary, second: say('Do segundo.') }));
      const texts = { begin: () => {}, add: () => {} };
      for (const [question, , isStreamed] of stalls) {
        const textListener = isStreamed ? texts : undefined;
        asked.set(question, makeAsker(primaryOnly)({ question, remainingMs: 3_000, textListener }));
      }
      asked.set(SLOW, makeAsker(primaryOnly)({ question: SLOW, remainingMs: 7_500 }));
      asked.set(OPEN, makeAsker(primaryOnly)({ question: OPEN, remainingMs: 3_000, textListener: texts }));
    });

    for (const [name] of stalls)
      it(`and ${name} is left, too`, async () => {
        const { text, calls } = (await asked.get(name)) ?? expect.fail();
        expect(text).to.equal('Do segundo.');
        expect(calls[0]?.error).to.equal('nothing came in time');
      });

    it('and sends one piece after the other may take longer than its part of the time', async () => {
      expect((await asked.get(SLOW))?.text).to.equal('Devagar.');
    });

    it('and has finished its stream, but does not end it, has answered', async () => {
      const { text, tries } = (await asked.get(OPEN)) ?? expect.fail();
      expect([text, ...tries]).to.deep.equal(['Inteira.', 'primary 200']);
    });
  });

  it('that refuses the request itself is not followed: another would refuse it, too', async () => {
    scripted.script(byModel({ primary: fail(400), second: say('Do segundo.') }));
    expect((await makeAsker(primaryOnly)()).tries).to.deep.equal(['primary 400']);
  });

  it('is asked again after all of them have failed for a moment', async () => {
    let failures = 0;
    const failsOnce: ModelScript = (request, response) =>
      (failures++ === 0 ? fail(503) : say('De novo.'))(request, response);
    scripted.script(byModel({ primary: failsOnce, second: fail(404) }));
    const { text, tries } = await makeAsker(primaryOnly)();
    expect(text).to.equal('De novo.');
    expect(tries).to.deep.equal(['primary 503', 'second 404', 'primary 200']);
  });

  it('is skipped for a while when it failed three times in a row, and asked all the same where no other is left', async () => {
    scripted.script(byModel({ primary: fail(500), second: say('Do segundo.') }));
    const ask = makeAsker(primaryOnly);
    for (let turn = 0; turn < 3; turn += 1)
      expect((await ask()).tries).to.deep.equal(['primary 500', 'second 200']);
    expect((await ask()).tries).to.deep.equal(['second 200']);
    scripted.say('Do primeiro.');
    expect((await ask({ fallbacks: ['primary'] })).tries).to.deep.equal(['primary 200']);
  });

  it('is not asked while it is skipped where another was, though the budget refused a third', async () => {
    const refusesSecond: SpendLedger = {
      ...noLedger,
      async open(spender, planned) {
        if (planned.model === 'second')
          throw new SpendRefusedError(spender.hostId, { kind: 'over-budget', budget: 'day', retryAfter: 60 });
        return noLedger.open(spender, planned);
      },
    };
    const ask = makeAsker({ primary: ['second', 'third'] }, refusesSecond);
    scripted.script(byModel({ primary: fail(500), third: say('Do terceiro.') }));
    for (let turn = 0; turn < 3; turn += 1)
      expect((await ask()).tries).to.deep.equal(['primary 500', 'second 0', 'third 200']);
    scripted.script(byModel({ primary: say('Do primeiro.'), third: fail(400) }));
    expect((await ask()).tries).to.deep.equal(['second 0', 'third 400']);
    const affordable = ['second', 'primary'];
    expect((await ask({ fallbacks: affordable })).tries).to.deep.equal(['second 0', 'primary 200']);
  });

  it('is skipped for the host alone whose calls it failed', async () => {
    const ask = makeAsker(primaryOnly);
    scripted.script(byModel({ primary: fail(500), second: say('Do segundo.') }));
    for (let turn = 0; turn < 3; turn += 1) await ask({ hostId: 'a' });
    scripted.script(byModel({ primary: say('Do primeiro.'), second: say('Do segundo.') }));
    expect((await ask({ hostId: 'a' })).tries).to.deep.equal(['second 200']);
    expect((await ask({ hostId: 'b' })).tries).to.deep.equal(['primary 200']);
  });

  it('is skipped for turns alone where it failed at turns, and asked once for an insight', async () => {
    const ask = makeAsker(primaryOnly);
    scripted.script(byModel({ primary: fail(500), second: say('Do segundo.') }));
    for (let turn = 0; turn < 3; turn += 1) await ask();
    expect((await ask()).tries).to.deep.equal(['second 200']);
    expect((await ask({ purpose: 'insight', fallbacks: ['primary'] })).tries).to.deep.equal(['primary 500']);
    scripted.say('{}');
    expect((await ask({ purpose: 'insight', fallbacks: ['primary'] })).tries).to.deep.equal(['primary 0']);
  });

  it('is not skipped for being late: long answers are no fault of it', async () => {
    scripted.script(byModel({ primary: stall, second: say('Do segundo.') }));
    const ask = makeAsker(primaryOnly);
    for (let turn = 0; turn < 4; turn += 1)
      expect((await ask({ remainingMs: 600 })).tries).to.deep.equal(['primary 0', 'second 200']);
  });

  it('has those of its host instead of those of the installation, without the unknown ones', async () => {
    scripted.script(byModel({ primary: fail(429), second: fail(429), third: say('Do terceiro.') }));
    const { tries } = await makeAsker(primaryOnly)({ fallbacks: ['unknown', 'primary', 'third'] });
    expect(tries).to.deep.equal(['primary 429', 'third 200']);
  });
});

describe('work that a model gave no answer', () => {
  const counted = { tokens: 0, usage: NO_TOKENS, cost: '0' };
  const call = { name: 'm', purpose: 'turn', startedAt: '', durationMs: 1, ...counted } as const;
  const failed = { ...call, status: 500, error: 'refused' };
  const refused = {
    ...call,
    status: 0,
    error: 'over the budget',
    refusal: { kind: 'over-budget', budget: 'day', retryAfter: 60 },
  } as const;

  it('fails for the provider, which may work again before the budget allows more', () => {
    const silent = { ...call, status: 0, error: 'aborted' };
    for (const calls of [[failed], [failed, refused], [refused, silent]])
      expect(noAnswerFailureOf(calls)).to.deep.equal(failure('model-unavailable', {}));
  });

  it('fails for the budget where the model has answered since it failed', () => {
    expect(noAnswerFailureOf([failed, { ...call, status: 200 }, refused])).to.deep.equal(
      failure('budget-exceeded', { budget: 'day', retryAfter: 60 }),
    );
  });
});
