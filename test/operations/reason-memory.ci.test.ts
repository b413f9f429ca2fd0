import { expect } from 'chai';
import { setConversation } from '../../db/conversations/conversations.ts';
import { openConversation } from '../support/conversation.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { hold, say } from '../support/scripted-model.ts';
import { openService, startApiBeside } from '../support/service.ts';

describe('what a conversation remembers of its turns', () => {
  const service = openService();
  const hurried = openOnce(() => startApiBeside(service, { requestTimeoutMs: 2_000 }));
  const { model } = service;
  const conversation = openConversation(service);
  beforeEach(() => model.say('Certo.'));

  const ask = (question: string) => conversation.ask(question);
  const askInHurry = (question: string) => hurried.ask(question, { conversationId: conversation.id });
  const read = () =>
    model.requests
      .at(-1)
      ?.messages.filter(message => message.role !== 'system')
      .map(({ role, content }) => `${role}: ${content}`) ?? [];

  it('is a question that ran out of time once, as unanswered, and the next turn does not answer it', async () => {
    const held = hold();
    model.script(held.script);
    expect((await askInHurry('Demorada?')).status).to.equal(408);
    held.release();
    model.say('Às 8h.');
    expect((await ask('Que horas abre?')).status).to.equal(200);
    const [first, note, question, ...rest] = read();
    expect([first, question]).to.deep.equal(['user: Demorada?', 'user: Que horas abre?']);
    expect(note).to.match(/^assistant: .*sem resposta/);
    expect(rest).to.deep.equal([]);
    expect(await conversation.states()).to.deep.equal(['unanswered', 'answered']);
    expect(await conversation.said()).to.deep.equal([
      'user: Demorada?',
      'user: Que horas abre?',
      'assistant: Às 8h.',
    ]);
  });

  it('is the question of each turn that ran out of time, also of those that only waited', async () => {
    const held = hold();
    model.script(held.script);
    const first = askInHurry('Primeira?');
    await Promise.race([held.held, first]);
    const others = ['Segunda?', 'Terceira?'].map(askInHurry);
    const statuses = (await Promise.all([first, ...others])).map(({ status }) => status);
    expect(statuses).to.deep.equal([408, 408, 408]);
    held.release();
    await eventually(conversation.states, Array(3).fill('unanswered'));
    expect((await conversation.said()).toSorted()).to.deep.equal([
      'user: Primeira?',
      'user: Segunda?',
      'user: Terceira?',
    ]);
  });

  it('is told as it stands after the turn, when help is asked for while the model thinks', async () => {
    const held = hold(say('Certo.'));
    model.script(held.script);
    const asked = ask('Oi?');
    await held.held;
    await service.demo.inHost(scope => setConversation(scope, conversation.id, { askHumanHelp: true }));
    held.release();
    const { data, text } = await asked;
    expect([data.askHumanHelp, text]).to.deep.equal([true, 'Certo.']);
  });
});
