import { expect } from 'chai';
import { tellIdleConversations } from '../../db/conversations/turns.ts';
import { expectWrong } from '../support/contract.ts';
import { fail } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

describe('a conversation whose person falls silent', () => {
  const service = openService();
  const { demo, model, db } = service;
  let conversationId = '';
  before(() => demo.make('saveWebhook', { url: 'https://crm.example/', events: ['conversation.idle'] }));
  beforeEach(async () => {
    await wait(5);
    model.say('Às 8h.');
    conversationId = await service.newConversation();
  });

  const edit = (idle_after_minutes: unknown) =>
    demo.call('editAvatar', { avatar_id: demo.avatarId, idle_after_minutes });
  const wait = async (minutes: number | null) =>
    expect((await edit(minutes)).body.data).to.include({ idle_after_minutes: minutes });
  const ask = (more: object = {}) => service.ask('Que horas abre?', { conversationId, ...more });
  const conversation = () => db('conversations').where({ id: conversationId });
  const events = () => db('events').where({ conversation_id: conversationId });
  /** As if so many minutes had passed: two workers look at once. */
  const pass = async (minutes: number) => {
    const earlier = db.raw(`idle_due_at - ? * interval '1 minute'`, [minutes]);
    await conversation().update({ idle_due_at: earlier });
    await Promise.all([tellIdleConversations(db), tellIdleConversations(db)]);
    return events();
  };
  const update = (changes: object) => demo.call('updateConversation', { conversationId, ...changes });

  it('is told of once for each silence, when it has lasted long enough', async () => {
    await ask();
    expect(await pass(4)).to.deep.equal([]);
    const [event, ...others] = await pass(2);
    const [{ last_message_at }] = await conversation();
    expect(others).to.deep.equal([]);
    const lastMessageAt = last_message_at.toISOString();
    expect(event.data).to.deep.equal({ conversationId, lastMessageAt, lastAuthor: 'assistant' });
    expect(await pass(60)).to.have.length(1);
    await service.ask('', { conversationId, question: undefined, reasoningConfig: { rebounce: true } });
    expect(await pass(6)).to.have.length(2);
  });

  it('is not told of where the person has written since, the model failed, or it was a rehearsal', async () => {
    await ask();
    model.script(fail(401));
    expect((await ask()).status).to.equal(503);
    expect(await pass(60)).to.deep.equal([]);
    model.say('Às 8h.');
    conversationId = await service.newConversation();
    await ask({ reasoningConfig: { rehearsal: true } });
    expect(await pass(60)).to.deep.equal([]);
  });

  for (const changes of [{ closed: true }, { ask_human_help: true }, { assigned_to: 'Bia' }])
    it(`is not told of where ${Object.keys(changes)[0]} says that it is not the assistant's turn`, async () => {
      await ask();
      await update(changes);
      expect(await pass(60)).to.deep.equal([]);
    });

  it('is not told of where staff have written, or the avatar waits for ever', async () => {
    await ask();
    await demo.call('appendMessage', { conversationId, author: 'human', content: 'Oi!' });
    expect(await pass(60)).to.deep.equal([]);
    await wait(null);
    conversationId = await service.newConversation();
    await ask();
    expect(await pass(60)).to.deep.equal([]);
  });

  it('waits from five minutes to a week, and names the field', async () => {
    for (const minutes of [4, 10_081, 5.5, 'logo']) expectWrong(await edit(minutes), 'idle_after_minutes');
    await wait(10_080);
  });
});
