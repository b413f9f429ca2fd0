import { expect } from 'chai';
import pino from 'pino';
import { claimInsights } from '../../db/conversations/insights-due.ts';
import { makeInsight } from '../../workers/insights/make-insight.ts';
import { makeModel } from '../../workers/model/model.ts';
import { makeOpenAiProvider } from '../../workers/model/openai.ts';
import { startWorkers, type Workers } from '../../workers/start.ts';
import {
  hurryInsights,
  informationOf,
  insightRequests,
  insightSample,
  sayInsight,
  waitForInsights,
  withInsights,
} from '../support/insight-answers.ts';
import { noLedger } from '../support/no-ledger.ts';
import { hold } from '../support/scripted-model.ts';
import type { Service } from '../support/service.ts';
import { openProcesses } from './processes.ts';

describe('insights and workers that die', () => {
  const { service, spawn, kill } = openProcesses({ insightConcurrency: 4, requestTimeoutMs: 30_000 });
  /** Workers in this process start faster than separate processes. */
  const workers: Workers[] = [];
  afterEach(async () => {
    await kill();
    await Promise.all(workers.splice(0).map(worker => worker.close()));
  });

  const start = async (changes: Partial<Service['settings']> = {}) =>
    void workers.push(await startWorkers({ ...service.settings, ...changes }, pino({ level: 'silent' })));
  const dueIn = (conversationId: string) =>
    service.db('insights_due').where({ conversation_id: conversationId });
  const summaryOf = async (conversationId: string) => {
    const row = await service.db('conversations').where({ id: conversationId }).first('dialogue_summary');
    return row.dialogue_summary;
  };

  it('are made after a restart where the worker was killed between the answer and the insight', async () => {
    service.model.script(withInsights());
    // It cannot finish before the kill.
    await spawn({ env: { INSIGHT_CONCURRENCY: '0' } });
    const conversationId = await service.newConversation();
    expect((await service.ask('Oi?', { conversationId })).status).to.equal(200);
    await kill();
    expect(await dueIn(conversationId)).to.have.length(1);
    await start();
    await waitForInsights(service, conversationId);
    expect((await informationOf(service, conversationId)).body.data.tip).to.equal(insightSample.tip);
  });

  it('are made by another worker where one was killed while it made them, once the lease has ended', async () => {
    const held = hold();
    service.model.script(withInsights(held.script));
    await spawn();
    const conversationId = await service.newConversation();
    await service.ask('Oi?', { conversationId });
    await hurryInsights(service, conversationId);
    await held.held;
    await kill();
    held.release();
    service.model.script(withInsights());
    const [row] = await dueIn(conversationId);
    expect(row.run_id).to.be.a('string');
    expect(row.lease_until - Date.now()).to.be.within(0, 50_000);
    await dueIn(conversationId).update({ lease_until: service.db.fn.now() });
    await start();
    await waitForInsights(service, conversationId);
    expect(await summaryOf(conversationId)).to.equal(insightSample.dialogue_summary);
  });

  it('are given back by a worker that is told to stop, which does not wait for the model', async () => {
    const held = hold();
    service.model.script(withInsights(held.script));
    await start();
    const conversationId = await service.newConversation();
    await service.ask('Oi?', { conversationId });
    await hurryInsights(service, conversationId);
    await held.held;
    await workers.pop()?.close();
    const [row] = await dueIn(conversationId);
    expect(row).to.include({ run_id: null, lease_until: null, tries: 0 });
    held.release();
    service.model.script(withInsights());
    await start();
    await waitForInsights(service, conversationId);
  });

  it('are made once, however many workers look', async () => {
    service.model.script(withInsights());
    service.model.requests.length = 0;
    await Promise.all([start(), start()]);
    const asked = Array.from({ length: 12 }, async (_, at) => {
      const conversationId = await service.newConversation();
      await service.ask(`Pergunta ${at}?`, { conversationId });
      return conversationId;
    });
    await Promise.all((await Promise.all(asked)).map(id => waitForInsights(service, id)));
    const read = insightRequests(service).map(
      ({ messages }) => /Pergunta \d+/.exec(messages.at(-1)?.content ?? '')?.[0],
    );
    expect(read).to.have.members(asked.map((_, at) => `Pergunta ${at}`));
  });

  it('of a worker that lost them while it asked the model do not come to lie over newer ones', async () => {
    const provider = makeOpenAiProvider('main', { baseURL: service.model.baseURL });
    const directory = { providerOf: async () => provider };
    const model = makeModel({ directory, defaultModel: 'scripted', ledger: noLedger });
    const { signal } = new AbortController();
    const takeAndMake = async () => {
      const [run] = await claimInsights(service.db, { limit: 1, leaseMs: 60_000, pauseMs: 0 });
      if (!run) throw new Error('Nothing was due.');
      return makeInsight({ db: service.db, model, warnRarely: () => {} }, run, signal);
    };
    const held = hold(sayInsight({ dialogue_summary: 'Velho.' }));
    service.model.script(withInsights(held.script));
    await start({ insightConcurrency: 0 });
    const conversationId = await service.newConversation();
    await service.ask('Oi?', { conversationId });
    const isDue = { due_at: service.db.fn.now(), lease_until: service.db.fn.now() };
    await dueIn(conversationId).update(isDue);
    const slow = takeAndMake();
    await held.held;
    service.model.script(withInsights(sayInsight({ dialogue_summary: 'Novo.' })));
    await dueIn(conversationId).update(isDue);
    await takeAndMake();
    expect(await summaryOf(conversationId)).to.equal('Novo.');
    held.release();
    await slow;
    expect(await summaryOf(conversationId)).to.equal('Novo.');
  });
});
