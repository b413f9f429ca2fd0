import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { expectRefused } from '../support/contract.ts';
import { openEach } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { hold, say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

describe('the turns of one person within an hour', () => {
  const service = openService();
  const { db, model } = service;
  const host = openEach(async () => {
    const added = await service.addHost();
    await setHost(db, added.slug, { turns_per_person_per_hour: 2 });
    return added;
  });
  beforeEach(() => model.say('Certo.'));

  const ask = (conversationId: string, more: Fields = {}) =>
    host.ask('E agora?', { conversationId, ...more });
  const statuses = async (conversationId: string, times: number, more: Fields = {}) => {
    const seen: number[] = [];
    for (let at = 0; at < times; at += 1) seen.push((await ask(conversationId, more)).status);
    return seen;
  };
  const rows = async () => [
    (await db('messages').where({ host_id: host.hostId })).length,
    (await db('turns').where({ host_id: host.hostId })).length,
  ];
  const ana = { userData: { email: 'Ana@uni.example', name: 'Ana' } };

  it('end with 429 where they are too many: no model is called, and nothing is stored', async () => {
    const conversationId = await host.newConversation();
    expect(await statuses(conversationId, 2, ana)).to.deep.equal([200, 200]);
    const [stored, calls] = [await rows(), model.requests.length];
    const refused = await ask(conversationId, ana);
    expectRefused(refused, 'person-limit', { retryAfter: refused.body.data.retryAfter });
    expect(Number(refused.headers.get('retry-after'))).to.be.within(3_500, 3_600);
    expect([await rows(), model.requests.length]).to.deep.equal([stored, calls]);
    await db('messages')
      .where({ host_id: host.hostId })
      .update({ created_at: db.raw("created_at - interval '61 minutes'") });
    expect(await statuses(conversationId, 3)).to.deep.equal([200, 200, 429]);
  });

  it('are counted over all conversations of the contact, also by an e-mail or phone that comes with the question', async () => {
    for (const userData of [{ email: 'rui@uni.example' }, { phone: '+55 11 98765-4321' }]) {
      expect(await statuses(await host.newConversation(), 2, { userData })).to.deep.equal([200, 200]);
      const other = await host.newConversation();
      expect(await statuses(other, 1, { userData })).to.deep.equal([429]);
      expect(await statuses(other, 1)).to.deep.equal([200]);
    }
  });

  it('are counted by wpp_id where there is no contact, and not where nobody is known', async () => {
    const talks = [await host.newConversation(), await host.newConversation()] as const;
    for (const conversationId of talks)
      await host.call('updateConversation', { conversationId, wpp_id: '5511987654321' });
    expect([await statuses(talks[0], 2), await statuses(talks[1], 1)]).to.deep.equal([[200, 200], [429]]);
    expect(await statuses(await host.newConversation(), 3)).to.deep.equal([200, 200, 200]);
  });

  it('are no more where they come at once: one that waits is counted', async () => {
    const conversationId = await host.newConversation();
    await host.call('updateConversation', { conversationId, wpp_id: '5511987654321' });
    const held = hold(say('Certo.'));
    model.script(held.script);
    const first = ask(conversationId);
    await held.held;
    const others = [1, 2, 3].map(() => ask(conversationId));
    const refused = await Promise.any(
      others.map(async each => ((await each).status === 429 ? true : Promise.reject(new Error('answered')))),
    );
    held.release();
    expect(refused).to.equal(true);
    const seen = await Promise.all([first, ...others]);
    expect(seen.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([200, 200, 429, 429]);
  });

  it('are not limited while staff attends, who would never see the words', async () => {
    const conversationId = await host.newConversation();
    await host.call('updateConversation', { conversationId, wpp_id: '5511987654321' });
    const word = { conversationId, author: 'human', from_channel: true, content: 'Já vejo.' };
    await host.call('appendMessage', word);
    expect(await statuses(conversationId, 3)).to.deep.equal([200, 200, 200]);
    await host.call('updateConversation', { conversationId, ask_human_help: false });
    expect(await statuses(conversationId, 1)).to.deep.equal([429]);
  });

  it('are not limited in rehearsals', async () => {
    const conversationId = await host.newConversation();
    await host.call('updateConversation', { conversationId, wpp_id: '5511987654321' });
    const rehearsed = { reasoningConfig: { rehearsal: true } };
    expect(await statuses(conversationId, 4, rehearsed)).to.deep.equal([200, 200, 200, 200]);
  });
});
