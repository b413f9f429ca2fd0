import { expect } from 'chai';
import { makeOpenAiProvider } from '../../workers/model/openai.ts';
import { LedgerError, type SpendLedger } from '../../workers/model/spender.ts';
import { makeTranscriber } from '../../workers/model/transcriber.ts';
import { noLedger, spenderOf } from '../support/no-ledger.ts';
import { openEach } from '../support/opened.ts';
import { startScriptedModel } from '../support/scripted-model.ts';

describe('the transcription of a recording', () => {
  const scripted = openEach(startScriptedModel);
  const recording = { bytes: Buffer.alloc(9), mediaType: 'audio/ogg', ending: 'ogg', seconds: 2 };
  const optionsOf = (remaining: number) => ({
    spender: spenderOf('a'),
    signal: new AbortController().signal,
    remainingMs: () => remaining,
  });
  const report = (body: object) => {
    scripted.onTranscription = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

  it('is settled with what its provider reports, however much, and reserves what its length may be billed for', async () => {
    const provider = makeOpenAiProvider('main', { baseURL: scripted.baseURL });
    const [reserved, settled]: [number[], number[]] = [[], []];
    const open: SpendLedger['open'] = async (_spender, call) => {
      reserved.push(call.most().seconds ?? 0);
      return { settle: async usage => void settled.push(usage?.seconds ?? 0) };
    };
    const parts = { onCall: () => {}, ledger: { ...noLedger, open } };
    for (const seconds of [undefined, -1, 1, 59, 61, 1_999, 1e300]) {
      report({ text: 'Oi', usage: { type: 'duration', seconds } });
      const heard = { ...recording, seconds: 59.2 };
      await makeTranscriber('t', provider, parts).transcribe(heard, optionsOf(10_000));
    }
    expect(new Set(reserved)).to.deep.equal(new Set([61]));
    expect(settled).to.deep.equal([59.2, 59.2, 1, 59, 61, 1_999, 86_400]);
  });

  it('is no longer than an answer: a longer one is as if there were none', async () => {
    const provider = makeOpenAiProvider('main', { baseURL: scripted.baseURL });
    const hear = (text: string) => {
      report({ text });
      const parts = { onCall: () => {}, ledger: noLedger };
      return makeTranscriber('t', provider, parts).transcribe(recording, optionsOf(0));
    };
    expect((await hear('a'.repeat(100_000))).kind).to.equal('text');
    expect((await hear('a'.repeat(100_001))).kind).to.equal('failed');
  });

  it('that is not asked for, because the database is away, is no failure of its model', async () => {
    const provider = makeOpenAiProvider('main', { baseURL: 'http://127.0.0.1:9' });
    const told: unknown[] = [];
    const cause = new Error('the database is away');
    const open: SpendLedger['open'] = () => Promise.reject(new LedgerError('failed', { cause }));
    const parts = { onCall: (call: unknown) => told.push(call), ledger: { ...noLedger, open } };
    const heard = makeTranscriber('t', provider, parts).transcribe(recording, optionsOf(1_000));
    expect(await heard.catch((error: unknown) => error)).to.equal(cause);
    expect(told).to.deep.equal([]);
  });
});
