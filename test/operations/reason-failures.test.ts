import { expect } from 'chai';
import OpenAI from 'openai';
import { setHost } from '../../db/hosts/hosts.ts';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { makeAgent, makeAvatarWithFlow } from '../support/avatar-with-flow.ts';
import { recordsOf } from '../support/conversation-records.ts';
import { openEvents } from '../support/event-client.ts';
import { eventually } from '../support/eventually.ts';
import { startReceiver } from '../support/receiver.ts';
import { call, fail, type ModelScript, rounds, say, sayInPieces } from '../support/scripted-model.ts';
import { type Service, startApiBeside, startService } from '../support/service.ts';

const TEXT = 'Estamos fora do ar. Ligue 11 3333-4444 ou espere: já chamei alguém.';
const refused = fail(401);
const broken: ModelScript = (_request, response) => void response.destroy();

describe('a turn that no model answers', () => {
  let service: Service;
  let avatarId = '';
  let conversationId = '';
  before(async () => {
    service = await startService({
      insightConcurrency: 0,
      modelPrices: { scripted: 1_000_000 },
      egressAllowPrivate: true,
    });
    [avatarId] = await service.db('avatars').where({ host_id: service.demo.hostId }).pluck('id');
    const webhook = {
      hostId: service.demo.hostId,
      name: 'CRM',
      url: 'https://crm.example/',
      events: ['turn.answered', 'conversation.handover_requested', 'agent.ran'],
    };
    expect((await service.call(`${SVC}/saveWebhookHelper`, webhook)).status).to.equal(200);
  });
  beforeEach(async () => {
    await service.db('events').delete();
    await setHost(service.db, 'demo', { dailyBudget: '' });
    await edit({ on_failure: 'error', failure_text: '', on_unsupported: 'pass', language: 'pt-BR' });
    service.model.script(say('Certo.'));
    conversationId = await service.newConversation();
  });
  after(() => service.close());

  const edit = async (changes: object) => {
    const body = { host_id: service.demo.hostId, avatar_id: avatarId, ...changes };
    const edited = await service.call(`${SVC}/editAvatarHelper`, body);
    expect(edited.body.data).to.include(changes);
  };
  const events = async () => {
    const rows = await service.db('events').orderBy('type').select('type', 'data');
    return rows.map(({ type, data }) => [type, data.reason ?? data.askHumanHelp ?? data.code]);
  };
  const said = async () => {
    const { said: messages } = await recordsOf(service.db, conversationId);
    return messages.map(({ author, content }) => [author, content]);
  };
  const ask = (more: object = {}, headers = {}) =>
    service.ask('Que horas abre?', { conversationId, ...more }, { headers });

  it('is the failure of its caller where the avatar says nothing else, and a retry is answered anew', async () => {
    service.model.script(refused);
    const key = { 'idempotency-key': conversationId };
    expect((await ask({}, key)).status).to.equal(503);
    service.model.script(say('Às 8h.'));
    const { status, body } = await ask({}, key);
    expect([status, body.data.assistantResponse.string]).to.deep.equal([200, 'Às 8h.']);
  });

  it('has the text of the avatar and calls a person, once for a key, and costs nothing', async () => {
    await edit({ on_failure: 'handoff', failure_text: TEXT, on_unsupported: 'withhold' });
    service.model.script(refused);
    const key = { 'idempotency-key': conversationId };
    const more = { reasoningConfig: { svcCompleteLog: true } };
    const { status, body } = await ask(more, key);
    expect(status).to.equal(200);
    expect(body.data.assistantResponse).to.deep.equal({
      string: TEXT,
      wppParsed: [{ type: 'text', content: TEXT }],
      isAudio: false,
    });
    expect(body.data).to.deep.include({
      askHumanHelp: true,
      sources: [],
      unsupported: [],
      tokensControl: [],
    });
    const [receipt] = body.data.svcCompleteLog;
    expect(receipt.handover).to.deep.equal({ by: 'failure', reason: 'tool_failure' });
    expect(await said()).to.deep.equal([
      ['user', 'Que horas abre?'],
      ['assistant', TEXT],
    ]);
    expect(await events()).to.deep.equal([
      ['conversation.handover_requested', 'tool_failure'],
      ['turn.answered', true],
    ]);
    service.model.script(say('Às 8h.'));
    expect((await ask(more, key)).body.data).to.deep.equal(body.data);
    const [conversation] = await service.db('conversations').where({ id: conversationId });
    expect(conversation).to.include({ ask_human_help: true, closed: false });
    expect(receipt.modelCalls.map(({ cost }: { cost: string }) => cost)).to.deep.equal(['0']);
    const opening = { conversation_id: conversationId, opens_service: true };
    expect(await service.db('messages').where(opening)).to.have.length(1);
  });

  it('is handed over as one that the budget of the host does not allow', async () => {
    await edit({ on_failure: 'handoff', failure_text: TEXT });
    await setHost(service.db, 'demo', { dailyBudget: '0' });
    const { status, body } = await ask();
    expect([status, body.data.assistantResponse.string]).to.deep.equal([200, TEXT]);
    expect(await events()).to.deep.include(['conversation.handover_requested', 'policy_restriction']);
    await edit({ on_failure: 'error' });
    expect((await ask()).status).to.equal(429);
  });

  for (const [language, start] of [
    ['pt-BR', 'Não consigo responder agora.'],
    ['es-MX', 'No puedo responder ahora.'],
    ['en', 'I cannot answer right now.'],
  ] as const)
    it(`has a sentence of the service where the avatar has no text: ${language}`, async () => {
      await edit({ on_failure: 'handoff', failure_text: ' ', language });
      service.model.script(broken);
      expect((await ask()).body.data.assistantResponse.string).to.include(start);
      expect(await service.db('gap_questions').where({ conversation_id: conversationId })).to.deep.equal([]);
    });

  it('is answered in time where the model says nothing until the deadline, with what was done before', async () => {
    const home = { db: service.db, hostId: service.demo.hostId };
    const agent = await makeAgent(home, 'anota');
    const flow = await makeAvatarWithFlow(home, [
      { type: 'message', content: 'Bem-vindo.' },
      { type: 'agent', agents: [agent] },
    ]);
    await service.db('avatars').where({ id: flow.avatarId }).update({ on_failure: 'handoff' });
    service.model.script(rounds(call([['anota', { curso: 'Direito' }]]), () => {}));
    const beside = await startApiBeside(service, { requestTimeoutMs: 4_000 });
    const { status, body } = await beside.ask('Oi?', { conversationId, subSlug: flow.subSlug });
    await beside.close();
    expect([status, body.data.askHumanHelp]).to.deep.equal([200, true]);
    expect(body.data.assistantResponse.string).to.match(/^Não consigo responder agora/);
    expect(body.data.jsonArray).to.deep.equal([{ ...agent, data: { curso: 'Direito' } }]);
    expect((await events()).map(([type]) => type)).to.include('agent.ran');
    // What the flow says before an answer was not said yet.
    service.model.script(say('Certo.'));
    await service.call(`${SVC}/updateConversationHelper`, {
      hostId: service.demo.hostId,
      conversationId,
      ask_human_help: false,
    });
    const next = await service.ask('E agora?', { conversationId, subSlug: flow.subSlug });
    expect(next.body.data.assistantResponse.string).to.match(/^Bem-vindo\./);
  });

  it('is streamed: the text replaces the first words of a model that broke off', async () => {
    await edit({ on_failure: 'handoff', failure_text: TEXT });
    const inPieces = sayInPieces(['Abre às ', '8h.'], async at => {
      if (at === 1) throw new Error('broken off');
    });
    service.model.script(async (request, response) => {
      try {
        await inPieces(request, response);
      } catch {
        response.destroy();
      }
    });
    const client = await openEvents(service, { conversationId, question: 'Que horas abre?' });
    const all = await client.readAll();
    expect(client.text()).to.equal(TEXT);
    expect(all.at(-1)?.data.data).to.include({ askHumanHelp: true });
  });

  it('is an answer to a client of OpenAI, and to whoever is called back', async () => {
    await edit({ on_failure: 'handoff', failure_text: TEXT });
    service.model.script(refused);
    const client = new OpenAI({
      baseURL: `${service.baseURL}/v1`,
      apiKey: service.demo.token,
      maxRetries: 0,
    });
    const [{ id: model } = { id: '' }] = (await client.models.list()).data;
    const completion = await client.chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'Que horas abre?' }],
    });
    expect(completion.choices[0]?.message.content).to.equal(TEXT);
    const receiver = await startReceiver();
    const webhook = { hostId: service.demo.hostId, name: 'Canal', url: receiver.url, events: [] };
    await service.call(`${SVC}/saveWebhookHelper`, webhook);
    await ask({}, { prefer: 'respond-async', 'x-callback-url': receiver.url });
    const [told] = await eventually(
      () => receiver.received,
      ({ length }) => length === 1,
    );
    await receiver.close();
    expect(told?.body.data).to.include({ state: 'completed', code: 200 });
    expect(JSON.stringify(told?.body.data)).to.include(TEXT);
  });

  it('is a failure of a rehearsal, of which nobody is to be called', async () => {
    await edit({ on_failure: 'handoff' });
    service.model.script(refused);
    expect((await ask({ reasoningConfig: { rehearsal: true } })).status).to.equal(503);
  });

  it('takes no other action, and names the field', async () => {
    await edit({ on_failure: 'handoff' });
    for (const on_failure of ['', 'ignore', 1]) {
      const body = { host_id: service.demo.hostId, avatar_id: avatarId, on_failure };
      const { status, body: answer } = await service.call(`${SVC}/editAvatarHelper`, body);
      expect([status, answer.data.fields[0].path]).to.deep.equal([400, 'on_failure']);
    }
  });
});
