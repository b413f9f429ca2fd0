import { expect } from 'chai';
import { appendMessage } from '../../db/conversations/messages.ts';
import { expectWrong } from '../support/contract.ts';
import { listMessageTexts } from '../support/conversation-records.ts';
import { call, hold, rounds, say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

const silence = { string: '', wppParsed: [], isAudio: false };

describe('the state of a conversation', () => {
  const service = openService();
  const { demo, db, model } = service;
  let conversationId: string;
  before(() => model.say('Certo.'));
  beforeEach(async () => {
    conversationId = await service.newConversation();
  });

  const update = (changes: object) => demo.call('updateConversation', { conversationId, ...changes });
  const append = (message: object) =>
    demo.call('appendMessage', { conversationId, author: 'human', ...message });
  const ask = async (question: string) => (await service.ask(question, { conversationId })).body.data;
  const answerTo = async (question: string) => (await ask(question)).assistantResponse.string;
  const texts = () => listMessageTexts(db, conversationId);
  const stored = () => db('conversations').where({ id: conversationId });
  const dividers = () =>
    db('messages').where({ conversation_id: conversationId, reopens: true }).pluck('content');
  const read = () =>
    model.requests
      .at(-1)
      ?.messages.filter(message => message.role !== 'system')
      .map(({ role, content }) => `${role}: ${content}`);

  it('is answered with every field that conversation information has, and no other', async () => {
    const { status, body } = await update({});
    const { last_message_at, ...rest } = body.data;
    expect([status, new Date(last_message_at).toISOString()]).to.deep.equal([200, last_message_at]);
    expect(rest).to.deep.equal({
      id: conversationId,
      dialogue_summary: '',
      main_topic: '',
      user_name: '',
      tip: '',
      wpp_id: '',
      archived: false,
      external_id: '',
      heat_score: 0,
      heat_score_description: '',
      sentiment_score: 0,
      sentiment_score_explanation: '',
      lead_id: '',
      ask_human_help: false,
      closed: false,
      assigned_to: null,
      assigned_person_id: null,
      assigned_person_ids: [],
      team_id: null,
      labels: [],
      close_reason: null,
    });
    const information = await demo.call('getConversationInformation', { conversationId });
    expect(information.body.data).to.deep.equal(body.data);
  });

  it('changes in what is given and in nothing else', async () => {
    const changes = { archived: true, closed: true, ask_human_help: true, external_id: 'x9', wpp_id: '5511' };
    expect((await update(changes)).body.data).to.include(changes);
    expect((await update({ archived: false })).body.data).to.include({ ...changes, archived: false });
    expect((await update({ external_id: '' })).body.data).to.include({ external_id: '', wpp_id: '5511' });
  });

  it('has the assistant keep quiet from a person’s first word on, until help is no longer asked for', async () => {
    await update({ ask_human_help: true });
    expect(await answerTo('Alguém?')).to.equal('Certo.');
    const appended = await append({ content: 'Aqui é a Bia.', name: 'Bia' });
    expect([appended.status, appended.body.message]).to.deep.equal([201, 'Created']);
    expect(appended.body.data).to.include({ id: conversationId, ask_human_help: true });
    const calls = model.requests.length;
    const data = await ask('Tudo bem?');
    expect([data.assistantResponse, data.askHumanHelp]).to.deep.equal([silence, true]);
    expect([data.tokensControl, data.restStatus]).to.deep.equal([[], []]);
    expect(model.requests).to.have.length(calls);
    await update({ ask_human_help: false });
    const after = await ask('E agora?');
    expect([after.assistantResponse.string, after.askHumanHelp]).to.deep.equal(['Certo.', false]);
    expect(read()).to.deep.equal([
      'user: Alguém?',
      'assistant: Certo.',
      'assistant: Aqui é a Bia.',
      'user: Tudo bem?',
      'user: E agora?',
    ]);
  });

  it('has the assistant keep quiet also where a person’s first word is stored while the answer is', async () => {
    await update({ ask_human_help: true });
    const held = hold(say('Tarde demais.'));
    model.script(held.script);
    const asked = ask('Alguém aí?');
    await held.held;
    const writing = await db.transaction();
    const scope = { tx: writing, hostId: demo.hostId };
    await appendMessage(scope, { conversationId, author: 'human', content: 'Estou aqui.' });
    held.release();
    await waitForLock(writing);
    await writing.commit();
    model.say('Certo.');
    const data = await asked;
    expect([data.assistantResponse, data.tokensControl.length]).to.deep.equal([silence, 1]);
    expect(await texts()).to.deep.equal(['user: Alguém aí?', 'human: Estou aqui.']);
  });

  it('lets the assistant go on where a person wrote and nobody had asked for help', async () => {
    await append({ content: 'Um aviso da secretaria.' });
    expect(await answerTo('E agora?')).to.equal('Certo.');
  });

  it('is told by the messages in their order, those of the user that came another way too', async () => {
    await append({ content: 'Oi, de outro canal.', author: 'user' });
    const appended = await append({ content: 'Oi!' });
    const [last] = await db('messages').where({ conversation_id: conversationId }).orderBy('seq', 'desc');
    expect(appended.body.data.last_message_at).to.equal(last.created_at.toISOString());
    expect(await texts()).to.deep.equal(['user: Oi, de outro canal.', 'human: Oi!']);
  });

  it('is open again after a question, with a divider; opened by hand it goes on where it stood', async () => {
    await ask('Antes?');
    await update({ closed: true });
    await update({ closed: false });
    await ask('Depois?');
    expect(read()).to.deep.equal(['user: Antes?', 'assistant: Certo.', 'user: Depois?']);
    await update({ closed: true });
    await append({ content: 'Ficou faltando algo?' });
    expect((await update({})).body.data.closed).to.equal(true);
    await ask('De novo?');
    expect(read()).to.deep.equal(['user: De novo?']);
    expect((await update({})).body.data.closed).to.equal(false);
    expect(await dividers()).to.deep.equal(['De novo?']);
  });

  it('asks for no help any more once it is closed, by hand or by the model, and is answered when it is open again', async () => {
    const attended = async () => {
      await update({ ask_human_help: true });
      await append({ content: 'Aqui é a Bia.' });
    };
    await attended();
    expect((await update({ closed: true })).body.data).to.include({ closed: true, ask_human_help: false });
    const again = await ask('De novo?');
    expect([again.assistantResponse.string, again.askHumanHelp]).to.deep.equal(['Certo.', false]);
    await update({ ask_human_help: true });
    model.script(rounds(call([['close_conversation']]), say('Até mais.')));
    const closing = await ask('Tchau!');
    model.say('Certo.');
    expect([closing.assistantResponse.string, closing.askHumanHelp]).to.deep.equal(['Até mais.', false]);
    expect((await update({})).body.data).to.include({ closed: true, ask_human_help: false });
  });

  it('waits since it asked, and stays with who answered in it, where a closing is taken back at once', async () => {
    const readRequest = async () => (await stored().first()).help_asked_at.toISOString();
    const closeAndTakeBack = async () => {
      await update({ closed: true });
      await update({ closed: false, ask_human_help: true, assigned_to: 'Bia' });
    };
    await update({ ask_human_help: true });
    const askedAt = await readRequest();
    await closeAndTakeBack();
    expect(await readRequest()).to.equal(askedAt);
    expect(await answerTo('Alguém?')).to.equal('Certo.');
    await append({ content: 'Aqui é a Bia.' });
    await closeAndTakeBack();
    expect((await ask('Obrigado!')).assistantResponse).to.deep.equal(silence);
    // A later write is not the closing, and a closing that ended no request has none to give back.
    await update({ closed: true });
    await stored().update({ help_closed_at: db.raw("help_closed_at - interval '21 seconds'") });
    await update({ external_id: 'crm-1' });
    const reopen = () => update({ closed: false, ask_human_help: true });
    await reopen();
    const again = await readRequest();
    expect(again).to.not.equal(askedAt);
    expect(await answerTo('E agora?')).to.equal('Certo.');
    await update({ ask_human_help: false });
    await update({ closed: true });
    await reopen();
    expect(await readRequest()).to.not.equal(again);
  });

  it('is open for whoever takes over, although it was closed while the assistant called for help', async () => {
    const called = rounds(call([['ask_human_help', { reason: 'customer_request' }]]), say('Já chamei.'));
    const held = hold(called);
    model.script(held.script);
    const asked = ask('Quero falar com uma pessoa.');
    await held.held;
    await update({ closed: true });
    held.release();
    expect((await asked).askHumanHelp).to.equal(true);
    model.say('Certo.');
    expect((await update({})).body.data).to.include({ closed: false, ask_human_help: true });
  });

  it('is open again when the user’s words came another way, with a divider before them', async () => {
    await ask('Antes?');
    await update({ closed: true });
    expect((await append({ content: 'Voltei.', author: 'user' })).body.data.closed).to.equal(false);
    await append({ content: 'E mais isto.', author: 'user' });
    await ask('Depois?');
    expect(read()).to.deep.equal(['user: Voltei.', 'user: E mais isto.', 'user: Depois?']);
    expect(await dividers()).to.deep.equal(['Voltei.']);
  });

  it('changes by nothing that is wrong', async () => {
    expectWrong(await append({ author: 'assistant', content: 'x' }), 'author');
    for (const content of ['', 5]) expectWrong(await append({ content }), 'content');
    expectWrong(await update({ closed: 'maybe', archived: true }), 'closed');
    expect((await update({})).body.data).to.include({ closed: false, archived: false });
    expect(await texts()).to.deep.equal([]);
  });
});
