import { expect } from 'chai';
import { setConversation } from '../../db/conversations/conversations.ts';
import { appendMessage } from '../../db/conversations/messages.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { listMessageTexts, recordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { hold, say } from '../support/scripted-model.ts';
import { borrowService, type Service } from '../support/service.ts';

describe('what a conversation remembers of its turns', () => {
  let service: Service;
  let conversationId: string;
  before(async () => {
    service = await borrowService({ requestTimeoutMs: 2_000 });
  });
  beforeEach(async () => {
    service.model.script(say('Certo.'));
    conversationId = await service.newConversation();
  });
  after(() => service.close());

  const inDemo = <T>(work: (scope: HostScope) => Promise<T>) =>
    withHost(service.db, service.demo.hostId, work);
  const ask = (question: string) => service.ask(question, { conversationId });
  const read = () =>
    service.model.requests
      .at(-1)
      ?.messages.filter(message => message.role !== 'system')
      .map(({ role, content }) => `${role}: ${content}`) ?? [];
  const attend = () =>
    inDemo(async scope => {
      await setConversation(scope, conversationId, { askHumanHelp: true });
      await appendMessage(scope, { conversationId, author: 'human', content: 'Aqui é a Bia.', name: 'Bia' });
    });

  it('is one message of the user and one of the assistant a turn', async () => {
    await ask('Um?');
    await ask('Dois?');
    const { turns, said } = await recordsOf(service.db, conversationId);
    expect(turns.map(turn => [turn.state, turn.attempt])).to.deep.equal([
      ['answered', 1],
      ['answered', 1],
    ]);
    const [first, second] = turns.map(turn => turn.id);
    expect(said.map(({ author, content, turn_id }) => [author, content, turn_id])).to.deep.equal([
      ['user', 'Um?', first],
      ['assistant', 'Certo.', first],
      ['user', 'Dois?', second],
      ['assistant', 'Certo.', second],
    ]);
  });

  it('is a question that ran out of time once, as unanswered, and the next turn does not answer it', async () => {
    const held = hold();
    service.model.script(held.script);
    expect((await ask('Demorada?')).status).to.equal(408);
    held.release();
    service.model.script(say('Às 8h.'));
    const next = await ask('Que horas abre?');
    expect(next.status).to.equal(200);
    const [first, note, question, ...rest] = read();
    expect([first, question]).to.deep.equal(['user: Demorada?', 'user: Que horas abre?']);
    expect(note).to.match(/^assistant: .*sem resposta/);
    expect(rest).to.deep.equal([]);
    const { turns } = await recordsOf(service.db, conversationId);
    expect(turns.map(turn => turn.state)).to.deep.equal(['unanswered', 'answered']);
    expect(await listMessageTexts(service.db, conversationId)).to.deep.equal([
      'user: Demorada?',
      'user: Que horas abre?',
      'assistant: Às 8h.',
    ]);
  });

  it('is one answer of a turn that ran out of time and is tried again under its key', async () => {
    const headers = { 'idempotency-key': 'demora' };
    const askAgain = () => service.ask('E aí?', { conversationId }, { headers });
    service.model.script(() => {});
    expect((await askAgain()).status).to.equal(408);
    service.model.script(say('Agora sim.'));
    expect((await askAgain()).status).to.equal(200);
    expect(await listMessageTexts(service.db, conversationId)).to.deep.equal([
      'user: E aí?',
      'assistant: Agora sim.',
    ]);
  });

  it('is the question of each turn that ran out of time, also of those that only waited', async () => {
    const held = hold();
    service.model.script(held.script);
    const first = ask('Primeira?');
    await held.held;
    const others = ['Segunda?', 'Terceira?'].map(ask);
    const statuses = (await Promise.all([first, ...others])).map(({ status }) => status);
    expect(statuses).to.deep.equal([408, 408, 408]);
    held.release();
    const states = await eventually(
      async () => (await recordsOf(service.db, conversationId)).turns.map(turn => turn.state),
      seen => seen.every(state => state === 'unanswered'),
    );
    expect(states).to.have.length(3);
    const said = await listMessageTexts(service.db, conversationId);
    expect(said.toSorted()).to.deep.equal(['user: Primeira?', 'user: Segunda?', 'user: Terceira?']);
  });

  it('is all there but no context any more once a closed conversation was taken up again', async () => {
    await ask('Antes?');
    await inDemo(scope => setConversation(scope, conversationId, { closed: true }));
    expect((await ask('Depois?')).status).to.equal(200);
    expect(read()).to.deep.equal(['user: Depois?']);
    const [kept] = await service.db('conversations').where('id', conversationId);
    expect(kept.closed).to.equal(false);
    await ask('E agora?');
    expect(read()).to.deep.equal(['user: Depois?', 'assistant: Certo.', 'user: E agora?']);
    expect(await listMessageTexts(service.db, conversationId)).to.have.length(6);
  });

  it('still has the assistant answer while help is asked for and nobody has come', async () => {
    await inDemo(scope => setConversation(scope, conversationId, { askHumanHelp: true }));
    const { body } = await ask('Alguém?');
    expect(body.data.askHumanHelp).to.equal(true);
    expect(body.data.assistantResponse.string).to.equal('Certo.');
  });

  const silence = { string: '', wppParsed: [], isAudio: false };

  it('has the assistant keep quiet while a person of the host attends, until help is no longer asked', async () => {
    await attend();
    const calls = service.model.requests.length;
    const { status, body } = await ask('Alguém?');
    expect(status).to.equal(200);
    expect(body.data.assistantResponse).to.deep.equal(silence);
    expect(body.data.askHumanHelp).to.equal(true);
    expect([body.data.tokensControl, body.data.restStatus]).to.deep.equal([[], []]);
    expect(service.model.requests).to.have.length(calls);
    expect(await listMessageTexts(service.db, conversationId)).to.deep.equal([
      'human: Aqui é a Bia.',
      'user: Alguém?',
    ]);
    await inDemo(scope => setConversation(scope, conversationId, { askHumanHelp: false }));
    const after = await ask('E agora?');
    expect(after.body.data.assistantResponse.string).to.equal('Certo.');
    expect(after.body.data.askHumanHelp).to.equal(false);
  });

  it('has the assistant keep quiet, too, when a person comes while the model thinks', async () => {
    const held = hold();
    service.model.script(held.script);
    const asked = ask('Alguém?');
    await held.held;
    await attend();
    held.release();
    const { status, body } = await asked;
    expect(status).to.equal(200);
    expect(body.data.assistantResponse).to.deep.equal(silence);
    expect(body.data.askHumanHelp).to.equal(true);
    expect(body.data.tokensControl).to.deep.equal([{ model: 'scripted', tokens: 42 }]);
    expect(await listMessageTexts(service.db, conversationId)).to.deep.equal([
      'user: Alguém?',
      'human: Aqui é a Bia.',
    ]);
  });

  it('is told as it stands after the turn, when help is asked for while the model thinks', async () => {
    const held = hold(say('Certo.'));
    service.model.script(held.script);
    const asked = ask('Oi?');
    await held.held;
    await inDemo(scope => setConversation(scope, conversationId, { askHumanHelp: true }));
    held.release();
    const { body } = await asked;
    expect(body.data.askHumanHelp).to.equal(true);
    expect(body.data.assistantResponse.string).to.equal('Certo.');
  });
});
