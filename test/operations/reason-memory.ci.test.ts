import { expect } from 'chai';
import { setConversation } from '../../db/conversations/conversations.ts';
import { type HostScope } from '../../db/with-hosts.ts';
import { listMessageTexts, recordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { hold, say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

describe('what a conversation remembers of its turns', () => {
  const service = openService({ requestTimeoutMs: 2_000 });
  const { model } = service;
  let conversationId: string;
  beforeEach(async () => {
    model.say('Certo.');
    conversationId = await service.newConversation();
  });

  const inDemo = <T>(work: (scope: HostScope) => Promise<T>) => service.demo.inHost(work);
  const ask = (question: string) => service.ask(question, { conversationId });
  const read = () =>
    model.requests
      .at(-1)
      ?.messages.filter(message => message.role !== 'system')
      .map(({ role, content }) => `${role}: ${content}`) ?? [];
  it('is a question that ran out of time once, as unanswered, and the next turn does not answer it', async () => {
    const held = hold();
    model.script(held.script);
    expect((await ask('Demorada?')).status).to.equal(408);
    held.release();
    model.say('Às 8h.');
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

  it('is the question of each turn that ran out of time, also of those that only waited', async () => {
    const held = hold();
    model.script(held.script);
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

  it('is told as it stands after the turn, when help is asked for while the model thinks', async () => {
    const held = hold(say('Certo.'));
    model.script(held.script);
    const asked = ask('Oi?');
    await held.held;
    await inDemo(scope => setConversation(scope, conversationId, { askHumanHelp: true }));
    held.release();
    const { body } = await asked;
    expect(body.data.askHumanHelp).to.equal(true);
    expect(body.data.assistantResponse.string).to.equal('Certo.');
  });
});
