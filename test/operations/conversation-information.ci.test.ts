import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import {
  failInsight,
  hurryInsights,
  informationOf,
  insightRequests,
  insightSample,
  sayInsight,
  waitForInsights,
  withInsights,
} from '../support/insight-answers.ts';
import { fail, hold, type ModelScript, say } from '../support/scripted-model.ts';
import { openOwnService, PUBLIC, startApiBeside } from '../support/service.ts';

describe('conversation information', () => {
  const service = openOwnService({ insightConcurrency: 4, requestTimeoutMs: 20_000 });
  const { demo, acme, db, model } = service;
  let conversationId: string;
  beforeEach(async () => {
    model.script(withInsights());
    // Removes retries that other tests scheduled.
    await db('insights_due').delete();
    await db('insight_pauses').delete();
    model.requests.length = 0;
    conversationId = await service.newConversation();
  });

  const ask = (question: string, more: object = {}) => service.ask(question, { conversationId, ...more });
  const told = async () => (await informationOf(service, conversationId)).body.data;
  const made = () => waitForInsights(service, conversationId);
  const cached = () => db('replies').where({ about: conversationId });
  const dueOf = (id = conversationId) => db('insights_due').where({ conversation_id: id });
  const untilAsked = (times: number) => eventually(() => insightRequests(service).length, times);
  /** The last request to the model about the conversation. */
  const asked = () => String(insightRequests(service).at(-1)?.messages.at(-1)?.content);
  const { heat_score: _, heat_score_description: reason, categories, ...texts } = insightSample;

  it('is what the model made of the conversation, a moment after the turn, and told to who wants it', async () => {
    await demo.call('saveWebhook', { name: 'CRM', url: 'https://crm.example/', events: ['insight.updated'] });
    expect((await ask('Oi, sou a Ana. Como faço a matrícula?')).status).to.equal(200);
    await made();
    const data = await told();
    expect(data).to.include(texts);
    expect(data.heat_score).to.be.within(0, 100);
    expect(data.heat_score_description).to.contain('mensagem recente').and.contain(reason);
    const conversation = await db('conversations').where({ id: conversationId }).first();
    expect(conversation.categories).to.deep.equal(categories);
    const { heat_score, sentiment_score } = conversation;
    const events = await db('events').where({ type: 'insight.updated' }).pluck('data');
    expect(events).to.deep.equal([{ conversationId, heat_score, sentiment_score }]);
    await db('webhooks').delete();
  });

  it('is asked for by a strict schema without references', async () => {
    await ask('Oi?');
    await hurryInsights(service, conversationId);
    await untilAsked(1);
    const [request] = insightRequests(service);
    const { strict, schema } = request?.response_format?.json_schema ?? {};
    expect([request?.response_format?.type, strict]).to.deep.equal(['json_schema', true]);
    expect(JSON.stringify(schema)).to.not.contain('$ref');
    expect(schema?.['required']).to.have.members(Object.keys(insightSample));
  });

  it('is made at once for who reads it, and who reads it first waits for it', async () => {
    await ask('Oi, sou a Ana.');
    expect(await told()).to.include(texts);
    await ask('E Medicina?');
    model.script(withInsights(sayInsight({ tip: 'Fale de Medicina.' })));
    expect((await told()).tip).to.equal(texts.tip);
    await eventually(async () => (await told()).tip, 'Fale de Medicina.');
  });

  it('is made at once of a conversation that is closed', async () => {
    await ask('Oi, sou a Ana.');
    await demo.call('updateConversation', { conversationId, closed: true });
    await untilAsked(1);
  });

  it('knows nothing of what was only rehearsed', async () => {
    await ask('Um ensaio', { reasoningConfig: { rehearsal: true } });
    await ask('De verdade?');
    await made();
    expect(asked()).to.include('De verdade?').and.not.include('Um ensaio');
  });

  it('does not keep a turn waiting', async () => {
    const held = hold(sayInsight());
    model.script(withInsights(held.script));
    await ask('Primeira?');
    await hurryInsights(service, conversationId);
    await held.held;
    expect((await ask('Segunda?')).status).to.equal(200);
    expect((await db('conversations').where({ id: conversationId }).first()).dialogue_summary).to.equal('');
    held.release();
    await made();
    expect(insightRequests(service)).to.have.length(2);
    expect(asked()).to.contain('Segunda?').and.not.contain('Primeira?');
  });

  it('has the model read only what is new, beside its older summary', async () => {
    await ask('Quanto custa Direito?');
    await made();
    expect(asked()).to.contain('Quanto custa Direito?').and.not.contain('resumo_anterior');
    await ask('E Medicina?');
    await made();
    expect(asked()).to.contain('E Medicina?').and.contain(insightSample.dialogue_summary);
    expect(asked()).to.not.contain('Quanto custa Direito?');
  });

  it('keeps what a model said where the model fails, and has it read later what it missed', async () => {
    await ask('Primeira?');
    await made();
    model.script(withInsights(failInsight));
    await ask('Segunda?');
    await hurryInsights(service, conversationId);
    await eventually(() => dueOf().first(), { tries: 2 });
    expect(await told()).to.include(texts);
    await db('insight_pauses').delete();
    const later = { dialogue_summary: 'Ana perguntou duas vezes.', tip: '' };
    model.script(withInsights(sayInsight(later)));
    await ask('Terceira?');
    await made();
    expect(asked()).to.contain('Segunda?').and.contain('Terceira?').and.not.contain('Primeira?');
    expect(await told()).to.include({ ...texts, ...later, tip: insightSample.tip });
  });

  it('is asked for once where the model fails, and then for no conversation of the host until a pause has ended', async () => {
    model.script(withInsights(say('{}')));
    const ids = [conversationId, await service.newConversation(), await service.newConversation()];
    const due = (id: string) => dueOf(id).first();
    const failAll = async () => {
      for (const id of ids) {
        expect((await ask('Quanto custa?', { conversationId: id })).status).to.equal(200);
        await hurryInsights(service, id);
        await eventually(
          () => due(id),
          row => row.tries > 0 && row.run_id === null,
        );
        expect((await informationOf(service, id)).body.data.main_topic).to.equal('Financeiro');
      }
    };
    await failAll();
    await failAll();
    expect(insightRequests(service)).to.have.length(1);
    const ofAcme = await acme.newConversation();
    await acme.ask('Oi?', { conversationId: ofAcme });
    await hurryInsights(service, ofAcme);
    await untilAsked(2);
    model.script(withInsights());
    const past = db.raw(`now() - interval '1 second'`);
    await db('insight_pauses').update({ paused_until: past });
    await db('insights_due').update({ due_at: past });
    for (const id of ids) {
      await eventually(() => due(id), undefined);
      expect((await informationOf(service, id)).body.data).to.include(texts);
    }
    expect(await db('insight_pauses').where({ host_id: demo.hostId })).to.deep.equal([]);
  });

  it('is asked for no third time where it failed twice, until another turn is answered', async () => {
    model.script(withInsights(failInsight));
    await ask('Quanto custa?');
    await hurryInsights(service, conversationId);
    await eventually(dueOf, ([row]) => row.tries === 2);
    const past = db.raw(`now() - interval '1 second'`);
    await db('insight_pauses').update({ paused_until: past });
    await dueOf().update({ due_at: past });
    await eventually(dueOf, { length: 0 });
    expect(insightRequests(service)).to.have.length(2);
  });

  it('is told by rules, which says so, where the model never gave anything of use', async () => {
    const useless = {
      Ana: failInsight,
      Bia: say('Não sei.'),
      Eva: say('{}'),
      Lia: sayInsight({ sentiment_score: 'boa' }),
    };
    const scriptFor: ModelScript = (request, response) => {
      const dialogue = String(request.messages.at(-1)?.content);
      const name = Object.keys(useless).find(each => dialogue.includes(each)) as keyof typeof useless;
      return useless[name](request, response);
    };
    model.script(withInsights(scriptFor));
    const checks = Object.keys(useless).map(async name => {
      const id = await service.newConversation();
      await ask(`Quanto custa a mensalidade? Obrigada, ${name}!`, { conversationId: id });
      await hurryInsights(service, id);
      const find = async () => (await informationOf(service, id)).body.data;
      const data = await eventually(find, seen => seen.main_topic !== '');
      expect(data.main_topic, name).to.equal('Financeiro');
      expect(data.dialogue_summary).to.contain('Quanto custa a mensalidade?');
      expect(data.sentiment_score).to.be.above(0);
      for (const field of ['sentiment_score_explanation', 'heat_score_description'])
        expect(data[field]).to.contain('Estimado por regras');
    });
    await Promise.all(checks);
  });

  it('stays within its ranges whatever the model says', async () => {
    const wild = { heat_score: 1e9, sentiment_score: -7, dialogue_summary: 'x\0'.repeat(9_000) };
    model.script(withInsights(sayInsight(wild)));
    await ask('Oi.');
    await made();
    const { heat_score, sentiment_score, dialogue_summary } = await told();
    expect(sentiment_score).to.equal(-1);
    expect(heat_score).to.be.within(0, 100);
    expect((await db('conversations').where({ id: conversationId }).first()).heat_adjustment).to.equal(20);
    expect(dialogue_summary).to.have.length.within(1, 4_000);
  });

  it('is not made after a turn without an answer', async () => {
    model.script(withInsights(sayInsight(), fail(400)));
    expect((await ask('Alguém?')).status).to.equal(503);
    expect(await dueOf()).to.deep.equal([]);
    expect((await told()).heat_score).to.equal(0);
  });

  it('is cached for five minutes, and dropped by any write to the conversation', async () => {
    await ask('Antes?');
    await made();
    const held = hold(sayInsight({ tip: 'Ligue.' }));
    model.script(withInsights(held.script));
    const insight = async () => {
      held.release();
      await made();
    };
    const writes = {
      turn: () => ask('Oi?'),
      insight,
      update: () => demo.call('updateConversation', { conversationId, archived: true }),
      message: () => demo.call('appendMessage', { conversationId, author: 'human', content: 'Oi' }),
    };
    for (const [name, write] of Object.entries(writes)) {
      const before = await told();
      const [row] = await cached();
      expect(Number(row.expires_at) - Number(row.created_at), name).to.equal(300_000);
      expect(await told(), name).to.deep.equal(before);
      await write();
      expect(await cached(), name).to.deep.equal([]);
      expect(await told(), name).to.not.deep.equal(before);
    }
  });

  it('is served from the cache, not from the conversation', async () => {
    await told();
    const outcome = JSON.stringify({ code: 200, data: { ...(await told()), tip: 'da memória' } });
    await cached().update({ outcome });
    expect((await told()).tip).to.equal('da memória');
    const path = `${PUBLIC}/svcReasoning/getConversationInformationHelper`;
    expect((await service.call(path, { conversationId })).body.data.tip).to.equal('da memória');
  });

  it('has the phone and the id that the client gave of the person', async () => {
    await ask('Oi?', { userData: { name: 'Ana', phone: '+55 11 98765-4321', externalId: 'a7' } });
    expect(await told()).to.include({ user_name: 'Ana', wpp_id: '+55 11 98765-4321', external_id: 'a7' });
  });

  it('of turns that take too long is not made, and what stands is not touched', async () => {
    const hurried = await startApiBeside(service, { requestTimeoutMs: 1_000 });
    model.script(withInsights(sayInsight(), () => {}));
    expect((await hurried.ask('Alguém?', { conversationId })).status).to.equal(408);
    await hurried.close();
    expect(await db('insights_due')).to.deep.equal([]);
    const data = await told();
    expect([data.dialogue_summary, data.heat_score]).to.deep.equal(['', 0]);
    expect(insightRequests(service)).to.deep.equal([]);
  });
});
