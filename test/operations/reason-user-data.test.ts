import { expect } from 'chai';
import { insertAvatar } from '../../db/assistants/avatars.ts';
import { insertChunk } from '../../db/knowledge/chunks.ts';
import { insertDataset, linkDataset } from '../../db/knowledge/datasets.ts';
import { makeAvatarWithFlow } from '../support/avatar-with-flow.ts';
import { fail } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

const subSlug = 'lembrada';

describe('what a conversation remembers of its person', () => {
  const service = openService();
  const { demo, model } = service;
  let conversationId: string;
  before(async () => {
    await demo.inHost(async scope => {
      const avatarId =
        (await insertAvatar(scope, { sub_slug: subSlug, avatar_name: 'Eva' }))?.avatar_id ?? '';
      const dataset = await insertDataset(scope, { name: 'Por curso', type: 'filtered_rag' });
      await linkDataset(scope, { datasetId: dataset.id, avatarId });
      const body = 'O zepelim parte às 9h. MARCA-direito';
      await insertChunk(scope, {
        datasetId: dataset.id,
        content: body,
        filter: { curso: ['direito'] },
        tokenCount: 9,
      });
    });
  });
  beforeEach(async () => {
    model.say('Certo.');
    conversationId = await service.newConversation();
  });

  const ask = async (userData?: Record<string, unknown> | null, more: Record<string, unknown> = {}) => {
    const { status, body } = await service.ask('Quando parte o zepelim?', {
      conversationId,
      subSlug,
      ...(userData === undefined ? {} : { userData }),
      ...more,
    });
    const read = JSON.stringify(model.requests.at(-1)?.messages);
    return { status, read, userId: body.data.userId as string };
  };
  const kept = () => service.db('conversations').where('id', conversationId).first();
  const contact = (id: string) => service.db('contacts').where({ id }).first();

  it('stands in the prompt and opens filtered knowledge in later turns that do not say it', async () => {
    await ask({ name: 'Ana Prado', curso: 'Direito' });
    for (const userData of [undefined, null, {}, { phone: '11 98877-0001' }]) {
      const { read } = await ask(userData);
      expect(read).to.include('Ana Prado').and.include('MARCA-direito');
    }
    expect((await kept()).user_data).to.deep.equal({
      name: 'Ana Prado',
      curso: 'Direito',
      phone: '11 98877-0001',
    });
  });

  it('is replaced by what is given anew, emptied by what is given empty, and kept by null in a known field', async () => {
    await ask({ name: 'Ana', phone: '11 98877-0002', externalId: 'x-1', curso: 'Direito' });
    const { read } = await ask({ name: null, phone: '', curso: null, externalId: 'x-2' });
    expect(read).to.include('Ana').and.not.include('MARCA-direito');
    expect(await kept()).to.deep.include({
      user_data: { name: 'Ana', externalId: 'x-2' },
      user_name: 'Ana',
      wpp_id: '',
      external_id: 'x-2',
    });
  });

  it('takes nothing from the conversation that came from elsewhere', async () => {
    await demo.call('updateConversation', {
      conversationId,
      external_id: 'crm-7',
    });
    await ask({ name: 'Ana', externalId: '', phone: '' });
    expect((await kept()).external_id).to.equal('crm-7');
  });

  it('tells whom later turns are about, but never that another e-mail is the same person’s', async () => {
    const [email, other] = ['lembrada@uni.example', 'outra@uni.example'];
    const first = await ask({ name: 'Ana', email, phone: '11 98877-0003' });
    const same = await ask({ cpf: '111.444.777-35' });
    expect(same.userId).to.equal(first.userId);
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
    conversationId = await service.newConversation();
    const { read } = await ask();
    expect(read).to.not.include('Ana Prado').and.not.include('MARCA-direito');
  });

  it('warns that the prompt has no room for all of globalData, after what flow and filters name', async () => {
    const steered = await makeAvatarWithFlow({ db: service.db, hostId: demo.hostId }, [
      { type: 'handoff', content: 'O campus é o Norte' },
    ]);
    const noise = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`n${at}`, 'x'.repeat(30)]));
    const globalData = { ...noise, historico: 'y'.repeat(9_000), campus: 'Norte' };
    const { body } = await service.ask('Oi?', {
      conversationId,
      subSlug: steered.subSlug,
      globalData,
      reasoningConfig: { svcCompleteLog: true },
    });
    const facts = model.requests.at(-1)?.messages.find(each => each.content.startsWith('# Dados da'));
    expect(facts?.content).to.match(/\n\{"campus":"Norte","n0"/);
    const [warning] = body.data.svcCompleteLog[0].warnings;
    expect(warning).to.match(/^globalData has more than the 4000 characters .*"n\d+".* and \d+ more$/);
    const small = await service.ask('Oi?', {
      subSlug: steered.subSlug,
      reasoningConfig: { svcCompleteLog: true },
    });
    expect(small.body.data.svcCompleteLog[0].warnings).to.deep.equal([]);
  });
});
