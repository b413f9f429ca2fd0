import { expect } from 'chai';
import OpenAI from 'openai';
import { setHost } from '../../db/hosts/hosts.ts';
import { makeAgent, makeAvatarWithFlow } from '../support/avatar-with-flow.ts';
import { expectWrong } from '../support/contract.ts';
import { openConversation } from '../support/conversation.ts';
import { openEvents } from '../support/event-client.ts';
import { eventually } from '../support/eventually.ts';
import type { Fields } from '../support/operation-calls.ts';
import { startReceiver } from '../support/receiver.ts';
import { readRecording } from '../support/recordings.ts';
import {
  call,
  fail,
  hear,
  hold,
  type ModelScript,
  rounds,
  sayInPieces,
  type TranscriptionScript,
} from '../support/scripted-model.ts';
import { withReceipt } from '../support/served-host.ts';
import { openOwnService, startApiBeside } from '../support/service.ts';

const TEXT = 'Estamos fora do ar. Ligue 11 3333-4444 ou espere: já chamei alguém.';
const refused = fail(401);
const broken: ModelScript = (_request, response) => void response.destroy();

describe('a turn that no model answers', () => {
  const service = openOwnService({
    insightConcurrency: 0,
    modelPrices: { scripted: 1_000_000, 'whisper-1': { minute: 30 } },
    transcriptionModel: 'whisper-1',
    egressAllowPrivate: true,
  });
  const { demo, model } = service;
  const conversation = openConversation(service);
  before(async () => {
    const events = ['turn.answered', 'turn.failed', 'conversation.handover_requested', 'agent.ran'];
    await demo.make('saveWebhook', { events });
  });
  beforeEach(async () => {
    await service.db('events').delete();
    await setHost(service.db, 'demo', { dailyBudget: '' });
    await edit({ on_failure: 'error', failure_text: '', on_unsupported: 'pass', language: 'pt-BR' });
    model.reset();
    model.say('Certo.');
  });

  const edit = async (changes: object) => {
    const edited = await demo.call('editAvatar', { avatar_id: demo.avatarId, ...changes });
    expect(edited.body.data).to.include(changes);
  };
  const events = async () => {
    const rows = await service.db('events').orderBy('type').select('type', 'data');
    return rows.map(({ type, data }) => [type, data.reason ?? data.code ?? data.askHumanHelp]);
  };
  const ask = (more: Fields = {}, headers = {}) => conversation.ask('Que horas abre?', more, { headers });
  const handedOver = [
    ['conversation.handover_requested', 'tool_failure'],
    ['turn.answered', true],
    ['turn.failed', 503],
  ];

  it('is the failure of its caller where the avatar says nothing else, and a retry is answered anew', async () => {
    model.script(refused);
    const key = { 'idempotency-key': conversation.id };
    expect((await ask({}, key)).status).to.equal(503);
    model.say('Às 8h.');
    const { status, text } = await ask({}, key);
    expect([status, text]).to.deep.equal([200, 'Às 8h.']);
  });

  it('has the text of the avatar and calls a person, once for a key, and costs nothing', async () => {
    await edit({ on_failure: 'handoff', failure_text: TEXT, on_unsupported: 'withhold' });
    model.script(refused);
    const key = { 'idempotency-key': conversation.id };
    const { status, data, receipt } = await ask(withReceipt, key);
    expect(status).to.equal(200);
    const wppParsed = [{ type: 'text', content: TEXT }];
    const told = { askHumanHelp: true, sources: [], unsupported: [], tokensControl: [] };
    expect(data).to.deep.include({ ...told, assistantResponse: { string: TEXT, wppParsed, isAudio: false } });
    expect(receipt.handover).to.deep.equal({ by: 'failure', reason: 'tool_failure' });
    expect(await conversation.said()).to.deep.equal(['user: Que horas abre?', `assistant: ${TEXT}`]);
    expect(await events()).to.deep.equal(handedOver);
    model.say('Às 8h.');
    expect((await ask(withReceipt, key)).data).to.deep.equal(data);
    expect(await conversation.row()).to.include({ ask_human_help: true, closed: false });
    expect(receipt.modelCalls.map(({ cost }: Fields) => cost)).to.deep.equal(['0']);
    const opening = { conversation_id: conversation.id, opens_service: true };
    expect(await service.db('messages').where(opening)).to.have.length(1);
  });

  it('is told once where the avatar says something else when it is tried again', async () => {
    model.script(refused);
    const key = { 'idempotency-key': conversation.id };
    expect((await ask({}, key)).status).to.equal(503);
    await edit({ on_failure: 'handoff' });
    expect((await ask({}, key)).status).to.equal(200);
    expect(await events()).to.deep.equal(handedOver);
    expect(await isUnanswered()).to.equal(true);
  });

  it('is handed over as one that the budget of the host does not allow', async () => {
    await edit({ on_failure: 'handoff', failure_text: TEXT });
    await setHost(service.db, 'demo', { dailyBudget: '0' });
    const { status, text } = await ask();
    expect([status, text]).to.deep.equal([200, TEXT]);
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
      model.script(broken);
      expect((await ask()).text).to.include(start);
      expect(await service.db('gap_questions').where({ conversation_id: conversation.id })).to.deep.equal([]);
    });

  it('is answered in time where the model says nothing until the deadline, with what was done before', async () => {
    const agent = await makeAgent(demo, 'anota');
    const flow = await makeAvatarWithFlow(demo, [
      { type: 'message', content: 'Bem-vindo.' },
      { type: 'agent', agents: [agent] },
    ]);
    await service.db('avatars').where({ id: flow.avatarId }).update({ on_failure: 'handoff' });
    model.script(rounds(call([['anota', { curso: 'Direito' }]]), () => {}));
    const beside = await startApiBeside(service, { requestTimeoutMs: 8_000 });
    const turn = { conversationId: conversation.id, subSlug: flow.subSlug };
    const { status, data, text } = await beside.ask('Oi?', turn);
    await beside.close();
    expect([status, data.askHumanHelp]).to.deep.equal([200, true]);
    expect(text).to.match(/^Não consigo responder agora/);
    expect(data.jsonArray).to.deep.equal([{ ...agent, data: { curso: 'Direito' } }]);
    expect((await events()).map(([type]) => type)).to.include('agent.ran');
    // The flow has not yet said what it says before an answer.
    model.say('Certo.');
    await demo.call('updateConversation', { conversationId: conversation.id, ask_human_help: false });
    expect((await demo.ask('E agora?', turn)).text).to.match(/^Bem-vindo\./);
  });

  it('is streamed: the text replaces the first words of a model that broke off', async () => {
    await edit({ on_failure: 'handoff', failure_text: TEXT });
    const inPieces = sayInPieces(['Abre às ', '8h.'], async at => {
      if (at === 1) throw new Error('broken off');
    });
    model.script(async (request, response) => {
      try {
        await inPieces(request, response);
      } catch {
        response.destroy();
      }
    });
    const question = 'Que horas abre?';
    const client = await openEvents(service, { conversationId: conversation.id, question });
    const all = await client.readAll();
    expect(client.text()).to.equal(TEXT);
    expect(all.at(-1)?.data.data).to.include({ askHumanHelp: true });
  });

  it('is an answer to a client of OpenAI, and to whoever is called back', async () => {
    await edit({ on_failure: 'handoff', failure_text: TEXT });
    model.script(refused);
    const client = new OpenAI({ baseURL: `${service.baseURL}/v1`, apiKey: demo.token, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Que horas abre?' }];
    const completion = await client.chat.completions.create({ model: 'principal', messages });
    expect(completion.choices[0]?.message.content).to.equal(TEXT);
    const receiver = await startReceiver();
    await demo.make('saveWebhook', { url: receiver.url, events: [] });
    await ask({}, { prefer: 'respond-async', 'x-callback-url': receiver.url });
    await eventually(() => receiver.received.length, 1);
    await receiver.close();
    const [told] = receiver.received;
    expect(told?.body.data).to.include({ state: 'completed', code: 200 });
    expect(JSON.stringify(told?.body.data)).to.include(TEXT);
  });

  describe('because its recording is not heard', () => {
    const content_base64 = readRecording('tone.ogg').toString('base64');
    const audio = { type: 'audio', content_type: 'audio/ogg', content_base64 };
    const speak = (more: Fields = {}) => conversation.ask(undefined, { attachments: [audio], ...more });
    const unusable: TranscriptionScript = (_request, response) => void response.end('<html>');
    beforeEach(() => edit({ on_failure: 'handoff', failure_text: TEXT }));

    it('has the text of the avatar, calls a person and waits for an answer', async () => {
      model.onTranscription = unusable;
      const { status, body, data, text } = await speak();
      expect([status, text], JSON.stringify(body)).to.deep.equal([200, TEXT]);
      expect(data.askHumanHelp).to.equal(true);
      expect(data.restStatus.map(({ name }: Fields) => name)).to.include('model:whisper-1');
      expect(await conversation.said()).to.deep.equal(['user: [áudio 0:02]', `assistant: ${TEXT}`]);
      expect(await events()).to.deep.equal(handedOver);
      expect(model.requests).to.deep.equal([]);
      expect(await isUnanswered()).to.equal(true);
      model.onTranscription = hear('Que horas abre?');
      expect((await speak()).status).to.equal(200);
      expect(await isUnanswered()).to.equal(false);
    });

    it('keeps what was typed and heard before it', async () => {
      let heard = 0;
      model.onTranscription = (request, response) =>
        (heard++ === 0 ? hear('Que horas abre?') : unusable)(request, response);
      await speak({ question: 'Ouça:', attachments: [audio, audio, audio] });
      expect(await conversation.said()).to.deep.equal([
        'user: Ouça:\n[áudio 0:02] Que horas abre?\n[áudio 0:02]\n[áudio 0:02]',
        `assistant: ${TEXT}`,
      ]);
      expect(model.requests).to.deep.equal([]);
    });

    it('as one that the budget does not allow', async () => {
      await setHost(service.db, 'demo', { dailyBudget: '0' });
      expect((await speak()).text).to.equal(TEXT);
      expect(await events()).to.deep.include(['conversation.handover_requested', 'policy_restriction']);
    });

    it('in time where nothing comes until the deadline, and is streamed', async () => {
      model.onTranscription = () => {};
      const beside = await startApiBeside(service, { requestTimeoutMs: 8_000 });
      const client = await openEvents(beside, { conversationId: conversation.id, attachments: [audio] });
      const all = await client.readAll();
      await beside.close();
      expect(all[0]).to.deep.equal({ event: 'heard', data: { text: '[áudio 0:02]' } });
      expect(all.at(-1)?.data.data?.assistantResponse.string, JSON.stringify(all)).to.equal(TEXT);
    });

    it('and fails where the avatar says nothing else, or the recording is at fault', async () => {
      model.onTranscription = (_request, response) => void response.writeHead(400).end('{}');
      expect((await speak()).status).to.equal(400);
      await edit({ on_failure: 'error' });
      model.onTranscription = unusable;
      expect((await speak()).status).to.equal(503);
      expect(await events()).to.deep.equal([['turn.failed', 503]]);
      expect([await conversation.said(), await isUnanswered()]).to.deep.equal([[], true]);
    });
  });

  const listed = async (filter: object) => {
    const { items } = (await demo.call('listConversations', filter)).body.data;
    const own = items.find(({ id }: Fields) => id === conversation.id);
    return { isListed: own !== undefined, own };
  };
  const isUnanswered = async () => {
    const [marked, others] = await Promise.all([
      listed({ unanswered: true, closed: false }),
      listed({ unanswered: false }),
    ]);
    expect(others.isListed).to.equal(!marked.isListed);
    expect((marked.own ?? others.own).unanswered).to.equal(marked.isListed);
    return marked.isListed;
  };

  for (const on_failure of ['error', 'handoff'] as const)
    it(`leaves its question, who asked and a mark until somebody answers: ${on_failure}`, async () => {
      await edit({ on_failure });
      model.script(refused);
      const userData = { name: 'Rui', phone: '+55 11 98765-4321' };
      expect((await ask({ userData })).status).to.equal(on_failure === 'error' ? 503 : 200);
      expect((await conversation.said())[0]).to.equal('user: Que horas abre?');
      const row = await conversation.row();
      expect(row).to.include({ user_name: 'Rui', wpp_id: '+55 11 98765-4321' });
      const [contact] = await service.db('contacts').where({ id: row.contact_id });
      expect(contact).to.include({ name: 'Rui', phone: '+55 11 98765-4321' });
      expect(await isUnanswered()).to.equal(true);
      // A second question fails, too: one answer is enough for both.
      await ask();
      expect(await isUnanswered()).to.equal(true);
      model.say('Às 8h.');
      await ask();
      expect(await isUnanswered()).to.equal(false);
    });

  it('waits no longer for an answer when a staff member has written', async () => {
    model.script(refused);
    await ask();
    const message = { conversationId: conversation.id, author: 'human', content: 'Às 8h.' };
    expect((await demo.call('appendMessage', message)).status).to.equal(201);
    expect(await isUnanswered()).to.equal(false);
  });

  it('is told with 408 where its deadline passes, also while it waits for an earlier one', async () => {
    model.script(() => {});
    const beside = await startApiBeside(service, { requestTimeoutMs: 2_000 });
    const turn = { conversationId: conversation.id };
    const asked = [beside.ask('Um?', turn), beside.ask('Dois?', { ...turn, userData: { name: 'Rui' } })];
    const answers = await Promise.all(asked);
    await beside.close();
    expect(answers.map(({ status }) => status)).to.deep.equal([408, 408]);
    const failed = () => service.db('events').where({ type: 'turn.failed' }).select('data');
    expect((await eventually(failed, { length: 2 })).map(({ data }) => data.code)).to.deep.equal([408, 408]);
    expect(await isUnanswered()).to.equal(true);
    expect(await conversation.row()).to.include({ user_name: 'Rui' });
  });

  it('is told with the code of a spent budget', async () => {
    await setHost(service.db, 'demo', { dailyBudget: '0' });
    expect((await ask()).status).to.equal(429);
    expect(await events()).to.deep.equal([['turn.failed', 429]]);
  });

  it('did not fail where its client has gone, or its request was at fault', async () => {
    const { script, held } = hold();
    model.script(script);
    const gone = new AbortController();
    const asked = conversation.ask('Oi?', {}, { signal: gone.signal }).catch(() => undefined);
    await held;
    gone.abort();
    await asked;
    await eventually(conversation.states, ['unanswered']);
    expect([await events(), await isUnanswered()]).to.deep.equal([[], false]);
  });

  it('is a failure of a rehearsal, of which nobody is to be called', async () => {
    await edit({ on_failure: 'handoff' });
    model.script(refused);
    expect((await ask({ reasoningConfig: { rehearsal: true } })).status).to.equal(503);
  });

  it('takes no other action, and names the field', async () => {
    await edit({ on_failure: 'handoff' });
    for (const on_failure of ['', 'ignore', 1])
      expectWrong(await demo.call('editAvatar', { avatar_id: demo.avatarId, on_failure }), 'on_failure');
  });
});
