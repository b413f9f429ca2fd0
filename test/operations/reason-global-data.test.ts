import { expect } from 'chai';
import { expectWrong } from '../support/contract.ts';
import { openService } from '../support/service.ts';

const namesFrom = (first: number, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${first + at}`, at]));

describe('what a conversation keeps of globalData', () => {
  const service = openService();
  const { demo } = service;
  before(async () => {
    service.model.say('Certo.');
  });

  const keptOf = async (id: string) => {
    const row = await service.db('conversations').where({ id }).first('global_data');
    return Object.keys(row.global_data).length;
  };

  it('stays within its limit however many turns add to it, and a turn that adds too much changes nothing', async () => {
    const conversationId = await service.newConversation();
    const ask = (first: number) => service.ask('Oi?', { conversationId, globalData: namesFrom(first, 600) });
    expect((await ask(0)).status).to.equal(200);
    const kept = await keptOf(conversationId);
    expectWrong(await ask(600), 'globalData');
    expect(await keptOf(conversationId)).to.equal(kept);
    const said = await service.db('messages').where({ conversation_id: conversationId, author: 'user' });
    expect(said).to.have.length(1);
    expect((await ask(0)).status).to.equal(200);
  });

  it('is refused by its names and by its length, in a turn and when the conversation is made', async () => {
    const conversationId = await service.newConversation();
    const { hostId } = demo;
    for (const globalData of [namesFrom(0, 1_001), { long: 'a'.repeat(300_000) }]) {
      const answers = [
        await service.ask('Oi?', { conversationId, globalData }),
        await demo.call('createConversation', { hostId, globalData }),
      ];
      for (const { status, body } of answers)
        expect([status, body.data.fields[0].path]).to.deep.equal([400, 'globalData']);
    }
  });

  it('has its length counted in characters, not in the units that a machine stores', async () => {
    const conversationId = await service.newConversation();
    const globalData = { long: '😀'.repeat(200_000) };
    expect((await service.ask('Oi?', { conversationId, globalData })).status).to.equal(200);
  });

  it('has its like in userData, which may not have any number of fields either', async () => {
    const conversationId = await service.newConversation();
    expectWrong(await service.ask('Oi?', { conversationId, userData: namesFrom(0, 201) }), 'userData');
  });
});
