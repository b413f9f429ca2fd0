import { expect } from 'chai';
import { makeAvatarWithFlow } from '../support/avatar-with-flow.ts';
import { makeAvatarWithKnowledge } from '../support/avatar-with-knowledge.ts';
import { openConversation } from '../support/conversation.ts';
import type { Fields } from '../support/operation-calls.ts';
import { fail } from '../support/scripted-model.ts';
import { withReceipt } from '../support/served-host.ts';
import { openService } from '../support/service.ts';

const subSlug = 'lembrada';

describe('what a conversation remembers of its person', () => {
  const service = openService();
  const { demo, model } = service;
  const conversation = openConversation(service);
  before(async () => {
    const passage = { content: 'O zepelim parte às 9h. MARCA-direito', filter: { curso: ['direito'] } };
    await makeAvatarWithKnowledge(demo, subSlug, [passage]);
  });
  beforeEach(() => model.say('Certo.'));

  const ask = async (userData?: Fields | null) => {
    const { status, data, requests } = await conversation.ask('Quando parte o zepelim?', {
      subSlug,
      userData,
    });
    return { status, read: JSON.stringify(requests.at(-1)?.messages), userId: data.userId as string };
  };
  const contact = (id: string) => service.db('contacts').where({ id }).first();

  it('stands in the prompt and opens filtered knowledge in later turns that do not say it', async () => {
    await ask({ name: 'Ana Prado', curso: 'Direito' });
    for (const userData of [undefined, null, {}, { phone: '11 98877-0001' }]) {
      const { read } = await ask(userData);
      expect(read).to.include('Ana Prado').and.include('MARCA-direito');
    }
    expect((await conversation.row()).user_data).to.deep.equal({
      name: 'Ana Prado',
      curso: 'Direito',
      phone: '11 98877-0001',
    });
  });

  it('is replaced by what is given anew, emptied by what is given empty, and kept by null in a known field', async () => {
    await ask({ name: 'Ana', phone: '11 98877-0002', externalId: 'x-1', curso: 'Direito' });
    const { read } = await ask({ name: null, phone: '', curso: null, externalId: 'x-2' });
    expect(read).to.include('Ana').and.not.include('MARCA-direito');
    expect(await conversation.row()).to.deep.include({
      user_data: { name: 'Ana', externalId: 'x-2' },
      user_name: 'Ana',
      wpp_id: '',
      external_id: 'x-2',
    });
  });

  it('takes nothing from the conversation that came from elsewhere', async () => {
    await demo.call('updateConversation', { conversationId: conversation.id, external_id: 'crm-7' });
    await ask({ name: 'Ana', externalId: '', phone: '' });
    expect((await conversation.row()).external_id).to.equal('crm-7');
  });

  it('tells whom later turns are about, but never that another e-mail is the same person’s', async () => {
    const [email, other] = ['lembrada@uni.example', 'outra@uni.example'];
    const first = await ask({ name: 'Ana', email, phone: '11 98877-0003' });
    expect((await ask({ cpf: '111.444.777-35' })).userId).to.equal(first.userId);
    expect(await contact(first.userId)).to.include({ email, cpf: '111.444.777-35' });
    const another = await ask({ email: other });
    expect(another.userId).to.not.equal(first.userId);
    expect(await contact(another.userId)).to.include({ email: other, phone: null, cpf: null });
  });

  it('is what its turns said, also those that failed, and of its own conversation alone', async () => {
    model.script(fail(401));
    expect((await ask({ name: 'Lembrada' })).status).to.equal(503);
    model.say('Certo.');
    expect((await ask()).read).to.include('Lembrada');
    await ask({ name: 'Ana Prado', curso: 'Direito' });
    await conversation.restart();
    const { read } = await ask();
    expect(read).to.not.include('Ana Prado').and.not.include('MARCA-direito');
  });

  it('warns that the prompt has no room for all of globalData, after what flow and filters name', async () => {
    const steered = await makeAvatarWithFlow(demo, [{ type: 'handoff', content: 'O campus é o Norte' }]);
    const askSteered = (globalData?: object) =>
      conversation.ask('Oi?', { subSlug: steered.subSlug, globalData, ...withReceipt });
    const noise = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`n${at}`, 'x'.repeat(30)]));
    const globalData = { ...noise, historico: 'y'.repeat(9_000), campus: 'Norte' };
    const { receipt } = await askSteered(globalData);
    const facts = model.requests.at(-1)?.messages.find(each => each.content.startsWith('# Dados da'));
    expect(facts?.content).to.match(/\n\{"campus":"Norte","n0"/);
    const [warning] = receipt.warnings;
    expect(warning).to.match(/^globalData has more than the 4000 characters .*"n\d+".* and \d+ more$/);
    await conversation.restart();
    expect((await askSteered()).receipt.warnings).to.deep.equal([]);
  });
});
