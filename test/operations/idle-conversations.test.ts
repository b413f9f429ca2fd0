import { expect } from 'chai';
import { tellIdleConversations } from '../../db/conversations/turns.ts';
import { fail } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

describe('a conversation whose person falls silent', () => {
  const service = openService();
  const { demo, model } = service;
  let avatarId = '';
  let conversationId = '';
  before(async () => {
    [avatarId] = await service.db('avatars').where({ host_id: demo.hostId }).pluck('id');
    const events = ['conversation.idle'];
    const webhook = { hostId: demo.hostId, name: 'CRM', url: 'https://crm.example/', events };
    expect((await demo.call('saveWebhook', webhook)).status).to.equal(200);
  });
  beforeEach(async () => {
    await edit({ idle_after_minutes: 5 });
    model.say('Às 8h.');
    conversationId = await service.newConversation();
  });

  const edit = async (changes: object) => {
    const body = { host_id: demo.hostId, avatar_id: avatarId, ...changes };
    const { status, body: edited } = await demo.call('editAvatar', body);
    if (status === 200) expect(edited.data).to.include(changes);
    return { status, fields: edited.data.fields };
  };
  const ask = (more: object = {}) => service.ask('Que horas abre?', { conversationId, ...more });
  const conversation = () => service.db('conversations').where({ id: conversationId });
  const events = () => service.db('events').where({ conversation_id: conversationId });
  /** As if so many minutes had passed: two workers look at once. */
  const pass = async (minutes: number) => {
    const earlier = service.db.raw(`idle_due_at - ? * interval '1 minute'`, [minutes]);
    await conversation().update({ idle_due_at: earlier });
    await Promise.all([tellIdleConversations(service.db), tellIdleConversations(service.db)]);
    return events();
  };
  const update = (changes: object) => demo.call('updateConversation', { conversationId, ...changes });

  it('is told of once for each silence, when it has lasted long enough', async () => {
    await ask();
    expect(await pass(4)).to.deep.equal([]);
    const [event, ...others] = await pass(2);
    const [{ last_message_at }] = await conversation();
    expect(others).to.deep.equal([]);
    expect(event.data).to.deep.equal({
      conversationId,
      lastMessageAt: last_message_at.toISOString(),
      lastAuthor: 'assistant',
    });
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
    const message = { hostId: demo.hostId, conversationId, author: 'human', content: 'Oi!' };
    await demo.call('appendMessage', message);
    expect(await pass(60)).to.deep.equal([]);
    await edit({ idle_after_minutes: null });
    conversationId = await service.newConversation();
    await ask();
    expect(await pass(60)).to.deep.equal([]);
  });

  it('waits from five minutes to a week, and names the field', async () => {
    for (const idle_after_minutes of [4, 10_081, 5.5, 'logo']) {
      const { status, fields } = await edit({ idle_after_minutes });
      expect([status, fields[0].path]).to.deep.equal([400, 'idle_after_minutes']);
    }
    expect((await edit({ idle_after_minutes: 10_080 })).status).to.equal(200);
  });
});
