import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { createHost } from '../../db/hosts/hosts.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { NO_MASKING } from '../../workers/domain/masking/masking.ts';
import { makeEmbedder } from '../../workers/model/embedder.ts';
import { isProviderFailure, type TextListener } from '../../workers/model/model-call.ts';
import { makeOpenAiProvider } from '../../workers/model/openai.ts';
import type { Provider } from '../../workers/model/provider.ts';
import { makeSpendLedger } from '../../workers/model/spend-ledger.ts';
import type { Spender, SpendLedger } from '../../workers/model/spender.ts';
import { makeTranscriber } from '../../workers/model/transcriber.ts';
import type { ModelCall } from '../../workers/model/tries.ts';
import { makeDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { isCollected } from '../support/is-collected.ts';
import { modelAt, noLedger, spenderOf } from '../support/no-ledger.ts';
import { openOnce } from '../support/opened.ts';
import { hold, type ModelScript, sayInPieces, startScriptedModel } from '../support/scripted-model.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

describe('a call of a model whose turn ends', () => {
  /** The only call that is counted when the turn ends at that event. */
  async function countedAfter(
    script: ModelScript,
    endsAt: (listen: (listener: TextListener) => void) => Promise<unknown>,
  ): Promise<ModelCall | undefined> {
    const scripted = await startScriptedModel();
    scripted.script(script);
    const counted: ModelCall[] = [];
    const model = modelAt(scripted, { onCall: call => counted.push(call) });
    const turn = new AbortController();
    let textListener: TextListener | undefined;
    const ends = endsAt(listener => (textListener = listener));
    const asked = model.complete(undefined, [{ role: 'user', content: 'Oi?' }], {
      purpose: 'turn',
      spender: spenderOf('a'),
      masking: NO_MASKING,
      signal: turn.signal,
      textListener,
    });
    await ends;
    turn.abort(new Error('deadline'));
    expect(await asked.catch((error: Error) => error.message)).to.equal('deadline');
    await eventually(
      () => counted.length,
      count => count > 0,
    );
    await scripted.close();
    expect(counted).to.have.length(1);
    return counted[0];
  }

  const aborted = { name: 'm', status: 0, error: 'aborted' };

  it('is counted, so that metrics and log know of it', async () => {
    const held = hold();
    const call = await countedAfter(held.script, () => held.held);
    held.release();
    expect(call).to.deep.include(aborted);
  });

  it('is no failure of the model while its answer is being written', async () => {
    const script = sayInPieces(['Das 8h ', 'às 21h.'], at =>
      at === 0 ? Promise.resolve() : new Promise(() => {}),
    );
    const call = await countedAfter(
      script,
      listen => new Promise<void>(resolve => listen({ begin() {}, add: () => resolve() })),
    );
    expect(call).to.deep.include(aborted);
    expect(call && isProviderFailure(call)).to.equal(false);
  });
});

describe('a call of a model that was answered', () => {
  it('leaves nothing behind: a turn may make many, and a worker millions', async () => {
    const scripted = await startScriptedModel();
    const provider = makeOpenAiProvider('main', { baseURL: scripted.baseURL });
    const given: WeakRef<AbortSignal>[] = [];
    const complete: Provider['complete'] = (request, options) => {
      given.push(new WeakRef(options.signal));
      return provider.complete(request, options);
    };
    const model = modelAt(scripted, { directory: { providerOf: async () => ({ ...provider, complete }) } });
    const turn = new AbortController();
    const { answer } = await model.complete(undefined, [{ role: 'user', content: 'Oi?' }], {
      purpose: 'turn',
      spender: spenderOf('a'),
      masking: NO_MASKING,
      signal: turn.signal,
    });
    await scripted.close();
    expect(answer).to.be.an('object');
    expect(given).to.have.length(1);
    expect(getEventListeners(turn.signal, 'abort')).to.deep.equal([]);
    for (const signal of given) expect(await isCollected(signal)).to.equal(true);
  });
});

describe('a call of a model whose turn ends before it is sent', () => {
  const { db } = openOnce(makeDatabase);
  const scripted = openOnce(startScriptedModel);

  interface Calling {
    readonly ledger: SpendLedger;
    onCall(call: ModelCall): void;
    readonly spender: Spender;
    readonly signal: AbortSignal;
  }
  const provider = () => makeOpenAiProvider('main', { baseURL: scripted.baseURL });
  const directory = { providerOf: async () => provider() };
  const recording = { bytes: Buffer.alloc(9), mediaType: 'audio/ogg', ending: 'ogg', seconds: 60 };
  const remainingMs = () => 10_000;
  const calls: Readonly<Record<string, (calling: Calling) => Promise<unknown>>> = {
    'an answer': ({ ledger, onCall, ...options }) =>
      modelAt(scripted, { ledger, onCall }).complete('m', [{ role: 'user', content: 'Oi?' }], {
        ...options,
        purpose: 'turn',
        masking: NO_MASKING,
      }),
    'an embedding': ({ ledger, onCall, spender, signal }) =>
      makeEmbedder('m', directory, onCall, ledger).embed([{ text: 'Oi?', isMasked: false, spender }], {
        signal,
      }),
    'a transcription': ({ ledger, onCall, ...options }) =>
      makeTranscriber('t', provider(), { onCall, ledger }).transcribe(recording, { ...options, remainingMs }),
  };
  for (const [name, call] of Object.entries(calls))
    it(`costs nothing, and is no failure of the model, where it is ${name}: it ends while its money is reserved`, async () => {
      const slug = name.replaceAll(' ', '-');
      const host = await createHost(db, { slug, name, monthlyBudget: '100' });
      const hostId = host?.id ?? '';
      const failures: unknown[] = [];
      const onTaskFailed = (error: unknown) => void failures.push(error);
      const own = makeSpendLedger({ db, prices: { m: 1, t: { minute: 1 } }, onTaskFailed });
      let opened: Promise<unknown> = Promise.resolve();
      const open: SpendLedger['open'] = (...of) => {
        const account = own.open(...of);
        opened = account.catch(() => undefined);
        return account;
      };
      const ledger = { ...own, open };
      const turn = new AbortController();
      const told: ModelCall[] = [];
      const spender = { ...spenderOf(hostId), hasBudget: true };
      const ended = await db.transaction(async tx => {
        await rowsOf(tx)`select pg_advisory_xact_lock(hashtextextended('parley spend ' || ${hostId}, 0))`;
        const onCall = (each: ModelCall) => told.push(each);
        const called = call({ ledger, onCall, spender, signal: turn.signal }).catch(
          (error: Error) => error.message,
        );
        await waitForLock(tx);
        turn.abort(new Error('deadline'));
        return [called];
      });
      expect(await ended[0]).to.equal('deadline');
      const left = () =>
        rowsOf<{ reserved: number; spent: number }>(db)`
          select (select count(*)::integer from spend_reservations where host_id = ${hostId}) as reserved,
            (select count(*)::integer from spend_deltas where host_id = ${hostId}) as spent`;
      await opened;
      await eventually(left, ([row]) => row?.reserved === 0);
      await ledger.close();
      expect((await left())[0]).to.deep.equal({ reserved: 0, spent: 0 });
      expect(failures).to.deep.equal([]);
      expect(told).to.deep.equal([]);
      expect(scripted.requests.length + scripted.embeddingRequests.length).to.equal(0);
      expect(scripted.transcriptionRequests).to.deep.equal([]);
    });

  it('is not waited for in a pause, nor made after it', async () => {
    const turn = new AbortController();
    const pauseMs = 1_000;
    scripted.onTranscription = (_request, response) =>
      void response.writeHead(429, { 'retry-after': String(pauseMs / 1_000) }).end('{}');
    const counted: ModelCall[] = [];
    const onCall = (each: ModelCall) => {
      counted.push(each);
      // The pause has begun then.
      setImmediate(() => turn.abort(new Error('deadline')));
    };
    const parts = { ledger: noLedger, onCall };
    const options = { spender: spenderOf('a'), signal: turn.signal, remainingMs };
    const heard = makeTranscriber('t', provider(), parts).transcribe(recording, options);
    const paused = new Promise(resolve => setTimeout(resolve, pauseMs, 'paused'));
    const first = Promise.race([heard.catch((error: Error) => error.message), paused]);
    expect(await first).to.equal('deadline');
    await paused;
    expect(counted.map(({ status }) => status)).to.deep.equal([429]);
  });
});
