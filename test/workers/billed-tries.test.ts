import { expect } from 'chai';
import { NO_MASKING } from '../../workers/domain/masking/masking.ts';
import { makeOpenAiProvider } from '../../workers/model/openai.ts';
import type { SpendLedger } from '../../workers/model/spender.ts';
import { makeTranscriber } from '../../workers/model/transcriber.ts';
import { GIVEN_UP } from '../../workers/model/tries.ts';
import type { MeasuredUsage } from '../../workers/model/usage-meter.ts';
import { modelAt, noLedger, spenderOf } from '../support/no-ledger.ts';
import { openOnce } from '../support/opened.ts';
import { fail, type ModelScript, say, startScriptedModel } from '../support/scripted-model.ts';

/* Tries that gave no answer are billed too, over the real client of the model. */

const reset: ModelScript = (_request, response) => void response.destroy();
const chunk = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
/** Sends these parts of a response, and then breaks off. */
const breakAfter =
  (type: string, ...parts: readonly string[]): ModelScript =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': type }).flushHeaders();
    for (const part of parts) response.write(part);
    setImmediate(() => response.destroy());
  };

describe('a call of a model that fails', () => {
  const scripted = openOnce(startScriptedModel);

  /** The ledger of a host with a budget: what each opened account was settled with. */
  const openLedger = () => {
    const settled: (MeasuredUsage | undefined)[] = [];
    let opened = 0;
    const open: SpendLedger['open'] = async () => {
      opened += 1;
      return { settle: async usage => void settled.push(usage) };
    };
    const billed = () => {
      expect(settled, 'each reservation ends').to.have.length(opened);
      return settled.flatMap(usage => usage ?? []);
    };
    return { ledger: { ...noLedger, open }, billed };
  };
  const options = (limitMs = 10_000) => ({
    spender: { ...spenderOf('a'), hasBudget: true },
    signal: new AbortController().signal,
    remainingMs: () => limitMs,
  });
  const ask = async (
    isStreamed: boolean,
    { question = 'Oi?', ...limits }: { question?: string; fallbacks?: string[]; limitMs?: number } = {},
  ) => {
    const { ledger, billed } = openLedger();
    const { calls } = await modelAt(scripted, { ledger }).complete(
      'm',
      [{ role: 'user', content: question }],
      {
        ...options(limits.limitMs),
        purpose: 'turn',
        masking: NO_MASKING,
        fallbacks: limits.fallbacks ?? [],
        textListener: isStreamed ? { begin() {}, add() {} } : undefined,
      },
    );
    return { calls, billed: billed() };
  };

  const [json, stream] = ['application/json', 'text/event-stream'];
  const askAll = (scripts: readonly (readonly [string, boolean, ModelScript])[]) => {
    const byName = new Map(scripts.map(([name, , script]) => [name, script]));
    scripted.script((request, response) =>
      byName.get(request.messages.at(-1)?.content ?? '')?.(request, response),
    );
    return Promise.all(
      scripts.map(async ([question, isStreamed]) => ({ question, ...(await ask(isStreamed, { question })) })),
    );
  };

  it('costs nothing where its connection breaks before the first word, whatever came of the response', async () => {
    const asked = await askAll([
      ['nothing', false, reset],
      ['nothing of a stream', true, reset],
      ['headers', false, breakAfter(json)],
      ['headers of a stream', true, breakAfter(stream)],
      ['headers of a whole answer', true, breakAfter(json)],
      ['blanks', false, breakAfter(json, ' \n', ' \n')],
      ['signs of life', true, breakAfter(stream, ': working\n\n', chunk({ role: 'assistant' }))],
    ]);
    for (const { question, calls, billed } of asked) {
      const outputs = calls.map(({ usage }) => usage.output);
      expect([outputs, billed], question).to.deep.equal([[0, 0, 0, 0], []]);
    }
  });

  it('is counted once for its tries that break off within the answer, streamed or whole', async () => {
    const asked = await askAll([
      ['a stream', true, breakAfter(stream, chunk({ content: 'Um momento' }))],
      ['a whole answer', false, breakAfter(json, '{"choices":[{"message":{"content":"Um mo')],
    ]);
    for (const { question, calls, billed } of asked) {
      expect([calls.length, billed.length], question).to.deep.equal([4, 1]);
      expect(calls.filter(({ usage }) => usage.output > 0)).to.have.length(1);
    }
  });

  it('is counted in full where its provider reports what each try took', async () => {
    const report = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } };
    const told = `data: ${JSON.stringify(report)}\n\n`;
    scripted.script(breakAfter(stream, chunk({ content: 'Um' }), told));
    const { calls, billed } = await ask(true);
    expect(calls).to.have.length(4);
    expect(billed.map(({ input, output }) => [input, output])).to.deep.equal(calls.map(() => [9, 2]));
  });

  it('is counted once for models that stay silent, and beside them for the one that answers', async () => {
    scripted.script((request, response) =>
      request.model === 'third' ? say('Sim.')(request, response) : undefined,
    );
    const { calls, billed } = await ask(false, { fallbacks: ['second', 'third'], limitMs: 600 });
    expect(calls.map(({ name, status }) => `${name} ${status}`)).to.deep.equal([
      'm 0',
      'second 0',
      'third 200',
    ]);
    expect(billed.map(({ output, isEstimated }) => [output, isEstimated])).to.deep.equal([
      [4_096, true],
      [1, false],
    ]);
  });

  describe('and hears a recording', () => {
    const hear = async () => {
      const { ledger, billed } = openLedger();
      const provider = makeOpenAiProvider('main', { baseURL: scripted.baseURL });
      const recording = { bytes: Buffer.alloc(9), mediaType: 'audio/ogg', ending: 'ogg', seconds: 60 };
      const transcriber = makeTranscriber('t', provider, { onCall() {}, ledger });
      const { calls } = await transcriber.transcribe(recording, options());
      return { calls, billed: billed() };
    };

    it('costs nothing where its connection breaks before the first word', async () => {
      const scripts = [reset, breakAfter(json)];
      let at = 0;
      scripted.onTranscription = (_request, response) => scripts[at++ % 2]?.({} as never, response);
      const { calls, billed } = await hear();
      expect([calls.length, billed]).to.deep.equal([4, []]);
    });

    it('is counted once where its tries break off', async () => {
      scripted.onTranscription = (_request, response) =>
        breakAfter(json, '{"text":"Quero')({} as never, response);
      const { calls, billed } = await hear();
      expect(calls).to.have.length(4);
      expect(billed.map(({ seconds }) => seconds)).to.deep.equal([60]);
    });
  });

  describe('and is given up', () => {
    const giveUp = async (script: ModelScript, fallbacks: string[] = []) => {
      const limit = new AbortController();
      const { ledger, billed } = openLedger();
      scripted.script(script);
      const asked = modelAt(scripted, { ledger }).complete('m', [{ role: 'user', content: 'Oi?' }], {
        ...options(),
        signal: limit.signal,
        purpose: 'turn',
        masking: NO_MASKING,
        fallbacks,
        textListener: { begin() {}, add: () => limit.abort(GIVEN_UP) },
      });
      return { asked, limit, billed };
    };

    it('stands among its calls, after those that failed before, and what it took is settled by then', async () => {
      let silent = (_request: unknown) => {};
      const isSilent = new Promise(resolve => (silent = resolve));
      const { asked, limit, billed } = await giveUp(
        (request, response) => (request.model === 'm' ? fail(500)(request, response) : silent(request)),
        ['second'],
      );
      await isSilent;
      limit.abort(GIVEN_UP);
      const { answer, calls } = await asked;
      expect(answer).to.equal(undefined);
      expect(calls.map(({ name, status, error }) => [name, status, error])).to.deep.equal([
        ['m', 500, 'refused with 500'],
        ['second', 0, 'aborted'],
      ]);
      expect(billed()).to.have.length(1);
    });

    it('stands there, too, where its stream has begun and stalls', async () => {
      const { asked } = await giveUp((_request, response) => {
        response.writeHead(200, { 'content-type': stream });
        response.write(chunk({ content: 'Um momento' }));
      });
      const { calls } = await asked;
      expect(calls.map(({ name, status, error }) => [name, status, error])).to.deep.equal([
        ['m', 0, 'aborted'],
      ]);
    });
  });
});
