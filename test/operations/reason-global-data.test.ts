import { expect } from 'chai';
import { expectWrong } from '../support/contract.ts';
import { openConversation } from '../support/conversation.ts';
import { openService } from '../support/service.ts';

const namesFrom = (first: number, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${first + at}`, at]));

describe('what a conversation keeps of globalData', () => {
  const service = openService();
  const conversation = openConversation(service);
  before(() => service.model.say('Certo.'));

  it('stays within its limit however many turns add to it, and a turn that adds too much changes nothing', async () => {
    const ask = (first: number) => conversation.ask('Oi?', { globalData: namesFrom(first, 600) });
    expect((await ask(0)).status).to.equal(200);
    const kept = (await conversation.row()).global_data;
    expectWrong(await ask(600), 'globalData');
    expect((await conversation.row()).global_data).to.deep.equal(kept);
    expect(await conversation.said()).to.deep.equal(['user: Oi?', 'assistant: Certo.']);
    expect((await ask(0)).status).to.equal(200);
  });

  it('is refused by its names and by its length, in a turn and when the conversation is made', async () => {
    for (const globalData of [namesFrom(0, 1_001), { long: 'a'.repeat(300_000) }]) {
      expectWrong(await conversation.ask('Oi?', { globalData }), 'globalData');
      expectWrong(await service.demo.call('createConversation', { globalData }), 'globalData');
    }
  });

  it('has its length counted in characters, not in the units that a machine stores', async () => {
    const globalData = { long: '😀'.repeat(200_000) };
    expect((await conversation.ask('Oi?', { globalData })).status).to.equal(200);
  });

  it('has its like in userData, which may not have any number of fields either', async () => {
    expectWrong(await conversation.ask('Oi?', { userData: namesFrom(0, 201) }), 'userData');
  });
});
