import { expect } from 'chai';
import { openConversation } from '../support/conversation.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';

describe('the dialogue that a turn gives back', () => {
  const service = openService();
  const { demo, model } = service;
  const conversation = openConversation(service);
  before(() => model.say('Certo.'));

  const wanted = { returnDialogue: true };
  const ask = async (more: Fields = wanted) => (await conversation.ask('E agora?', more)).data;
  const store = (messages: number) =>
    service.db.raw(
      `insert into messages (host_id, conversation_id, author, content)
       select ?, ?, case when n % 2 = 0 then 'user' else 'assistant' end, 'mensagem ' || n from generate_series(1, ?) n`,
      [demo.hostId, conversation.id, messages],
    );

  it('is all of it since the last divider, however the caller asks for it', async () => {
    await store(150);
    for (const more of [wanted, { reasoningConfig: wanted }]) {
      const data = await ask(more);
      const before = data.conversation.findIndex(({ content }: Fields) => content === 'E agora?');
      expect([before, data.conversation[0].content]).to.deep.equal([150, 'mensagem 1']);
      expect(data.conversation.at(-1)).to.include({ role: 'assistant', content: 'Certo.' });
      expect(data).to.not.have.property('conversationTruncated');
    }
    const messages = model.requests.at(-1)?.messages ?? [];
    expect(messages.length, 'the model reads the newest').to.be.below(80);
  });

  it('is the newest thousand of a longer one, and says that it is cut', async () => {
    await store(1_200);
    const { conversation: returned, conversationTruncated } = await ask();
    expect([returned.length, conversationTruncated]).to.deep.equal([1_000, true]);
    expect(returned[0].content).to.equal('mensagem 203');
  });

  it('is no larger than a response may be, in whatever characters, and says that it is cut', async () => {
    await service.db.raw(
      `insert into messages (host_id, conversation_id, author, content)
       select ?, ?, 'user', repeat(chr(1), 15000) from generate_series(1, 60)`,
      [demo.hostId, conversation.id],
    );
    const { conversation: returned, conversationTruncated } = await ask();
    expect(conversationTruncated).to.equal(true);
    expect(JSON.stringify(returned).length).to.be.within(1_500_000, 2_100_000);
  });

  it('is none where nobody asks for it', async () => {
    await store(3);
    const data = await ask({});
    expect(data.conversation).to.deep.equal([]);
    expect(data).to.not.have.property('conversationTruncated');
  });

  it('has times and names as they were sent, those of the question too', async () => {
    const originalDialogue = [
      { role: 'user', content: 'Oi', createdAt: 'ontem, 10h', name: '' },
      { role: 'human', content: 'Olá!', name: 'Bia' },
      { role: 'user', content: 'E agora?', createdAt: '2026-01-01T00:00:00.000Z', name: 'Ana' },
    ];
    for (const question of ['E agora?', undefined]) {
      const { conversation: returned } = await ask({ ...wanted, originalDialogue, question });
      expect([returned.slice(0, 3), returned.length]).to.deep.equal([originalDialogue, 4]);
    }
  });
});
