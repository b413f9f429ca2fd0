import { expect } from 'chai';
import { insertAvatar } from '../../db/assistants/avatars.ts';
import { openConversation } from '../support/conversation.ts';
import type { Fields } from '../support/operation-calls.ts';
import { say } from '../support/scripted-model.ts';
import { withReceipt } from '../support/served-host.ts';
import { openService } from '../support/service.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('the answer of a turn', () => {
  const service = openService();
  const { demo, model } = service;
  const conversation = openConversation(service);
  beforeEach(() => model.say('Tudo certo.'));

  it('is the model’s text, also parsed for WhatsApp', async () => {
    model.say('## Secretaria\nAbre às **8h**.');
    const { status, body } = await service.ask('Qual é o horário?');
    expect([status, body.code, body.message]).to.deep.equal([200, 200, 'Success']);
    expect(body.data.assistantResponse).to.deep.equal({
      string: '## Secretaria\nAbre às **8h**.',
      wppParsed: [{ type: 'text', content: '*Secretaria*\nAbre às *8h*.' }],
      isAudio: false,
    });
  });

  it('has every field that is promised, each of its type, and no other', async () => {
    const { data } = await conversation.ask('Oi?', { returnDialogue: true, ...withReceipt });
    expect(Object.keys(data).toSorted().join(' ')).to.equal(
      'agentsLog askHumanHelp assistantResponse conversation conversationId hostId jsonArray leadId ' +
        'question restStatus sessionId sources svcCompleteLog tickets tokensControl unsupported userId',
    );
    const ids = { sessionId: conversation.id, conversationId: conversation.id, hostId: demo.hostId };
    const nobody = { userId: '', leadId: '', tickets: { ticketId: '', ticketDescription: '' } };
    const nothing = { askHumanHelp: false, jsonArray: [], agentsLog: [], sources: [], unsupported: [] };
    expect(data).to.deep.include({ ...ids, ...nobody, ...nothing, question: 'Oi?' });
    expect(data.conversation).to.be.an('array').with.length(2);
    expect(data.svcCompleteLog).to.be.an('array').with.length(1);
    const [call, ...others] = data.restStatus;
    expect(others).to.deep.equal([]);
    expect(call).to.include({ name: 'model:scripted', status: 200 });
    expect(call.durationMs).to.be.a('number').at.least(0);
  });

  it('is given to a flow builder that writes numbers and absent ids as texts or the other way round', async () => {
    const body = {
      question: 2,
      hostSlug: '',
      choosenHostId: '',
      subSlug: '',
      userData: { phone: 5548991234567 },
    };
    const { status, data } = await conversation.ask('', { ...body, returnDialogue: 'true' });
    expect([status, data.question, data.conversation.length]).to.deep.equal([200, '2', 2]);
    expect(data.userId).to.match(uuid);
  });

  it('is to be spoken where it has a recording', async () => {
    model.say('[Aviso](https://u.example/aviso.mp3)');
    const { isAudio, wppParsed } = (await service.ask('Manda?')).data.assistantResponse;
    expect([isAudio, wppParsed.map(({ type }: Fields) => type)]).to.deep.equal([true, ['audio']]);
  });

  it('says which model used how many tokens, and keeps that with the turn', async () => {
    model.script(say('Sim.', 17));
    const { data } = await conversation.ask('Oi?');
    const used = [{ model: 'scripted', tokens: 17 }];
    expect(data.tokensControl).to.deep.equal(used);
    expect((await conversation.turns()).map(({ tokens }) => tokens)).to.deep.equal([used]);
  });

  it('makes no payment tappable that only the person wrote, and any that the client gave', async () => {
    const code = '23793.38128 60007.827136 95000.063305 9 75520000370000';
    const digits = code.replaceAll(/\D/g, '');
    model.say(code);
    const turn = async (question: string, more: object) => {
      const { data, receipt } = await service.ask(question, { ...more, ...withReceipt });
      return [data.assistantResponse.wppParsed, receipt.warnings.length];
    };
    const asText = [[{ type: 'text', content: code }], 1];
    const asItem = [[{ type: 'boleto', content: digits }], 0];
    const originalDialogue = [
      { role: 'user', content: `Meu boleto: ${digits}` },
      { role: 'assistant', content: code },
    ];
    expect(await turn(`Repete: ${digits}`, {})).to.deep.equal(asText);
    expect(await turn('Repete?', { originalDialogue })).to.deep.equal(asText);
    expect(await turn('Repete?', { originalDialogue, contextData: `Boleto: ${code}` })).to.deep.equal(asItem);
    expect(await turn('Qual é o boleto?', {})).to.deep.equal(asItem);
    const conversationId = conversation.id;
    await turn(`Guarda: ${digits}${' '.repeat(15_000)}!`, { conversationId });
    for (const filler of ['a', 'b']) await turn(filler.repeat(15_900), { conversationId });
    expect(await turn('Repete o que guardou?', { conversationId })).to.deep.equal(asText);
  });

  it('brings the whole receipt when asked, the one that is stored with the turn', async () => {
    const { receipt } = await conversation.ask('Onde fica a biblioteca?', withReceipt);
    const [stored] = await conversation.turns();
    expect(stored?.receipt).to.deep.equal(receipt);
    expect(receipt).to.include({ turnId: stored?.id, attempt: 1, model: 'scripted' });
    expect(receipt.avatar.subSlug).to.equal('principal');
    expect(receipt.retrieval.chunks.length).to.be.above(0);
    expect(receipt.modelCalls).to.have.length(1);
    expect((await conversation.ask('E agora?')).data.svcCompleteLog).to.deep.equal([]);
  });

  it('comes from the avatar’s own model, and the installation’s where it has none', async () => {
    const special = { sub_slug: 'especial', avatar_name: 'Eva', model: 'grande' };
    await demo.inHost(scope => insertAvatar(scope, { ...special, prompt_envelop: 'Sou a Eva.' }));
    const { data } = await service.ask('Oi?', { subSlug: 'especial' });
    const asked = model.requests.at(-1);
    expect(asked?.model).to.equal('grande');
    expect(asked?.messages[0]?.content).to.match(/^Sou a Eva\./);
    expect(data.tokensControl).to.deep.equal([{ model: 'grande', tokens: 42 }]);
    await service.ask('Oi?');
    expect(model.requests.at(-1)?.model).to.equal('scripted');
  });

  it('names the contact that the user data tells of, made once and filled in', async () => {
    const userData = { name: 'Rui', email: 'rui@u.example', curso: 'Direito' };
    const { userId } = (await conversation.ask('Oi?', { userData })).data;
    expect(userId).to.match(uuid);
    expect((await conversation.ask('De novo?')).data.userId).to.equal(userId);
    const filled = await service.ask('E agora?', {
      userData: { email: 'RUI@u.example', phone: '+55 11 98888-7777', cpf: '52998224725', externalId: 'x9' },
    });
    expect(filled.data.userId).to.equal(userId);
    const [contact, ...others] = await service.db('contacts').where('email_folded', 'rui@u.example');
    expect(others).to.deep.equal([]);
    expect(contact).to.include({ id: userId, name: 'Rui', cpf: '52998224725', external_id: 'x9' });
    const [kept] = await service.db('conversations').where('id', filled.data.conversationId);
    expect(kept).to.include({ contact_id: userId, wpp_id: '+55 11 98888-7777', external_id: 'x9' });
  });

  it('stays with the person of a CPF that an earlier turn gave, though another has the e-mail, too', async () => {
    const email = 'mae@u.example';
    const ana = await service.ask('Oi?', { userData: { email, name: 'Ana', cpf: '52998224725' } });
    const bruno = await conversation.ask('Oi?', { userData: { email, name: 'Bruno', cpf: '11144477735' } });
    const again = await conversation.ask('E agora?', {
      userData: { email, name: 'Bruno', curso: 'Direito' },
    });
    expect(bruno.data.userId).to.not.equal(ana.data.userId);
    expect(again.data.userId).to.equal(bruno.data.userId);
    const { conversationId } = ana.data;
    const other = { email: 'outra@u.example', name: 'Caio' };
    expect((await service.ask('Oi?', { conversationId, userData: other })).data.userId).to.not.equal(
      ana.data.userId,
    );
    const [caio] = await service.db('contacts').where('email_folded', other.email);
    expect(caio).to.include({ name: 'Caio', cpf: null });
  });

  it('makes no contact of an e-mail that is none, and warns of it in the receipt', async () => {
    const userData = { name: 'Rui', email: 'não tem' };
    const { data, receipt } = await service.ask('Oi?', { userData, ...withReceipt });
    expect(data.userId).to.equal('');
    expect(JSON.stringify(receipt)).to.include('userData.email is not an e-mail address');
  });

  it('leaves the global data merged over what the conversation kept', async () => {
    const made = await demo.call('createConversation', { globalData: { curso: 'Direito', campus: 'Norte' } });
    const { conversationId } = made.body.data;
    const globalData = { campus: 'Sul', platform: 'whatsapp', nested: { a: [1] } };
    await service.ask('Oi?', { conversationId, globalData });
    await service.ask('E agora?', { conversationId });
    const [kept] = await service.db('conversations').where('id', conversationId);
    expect(kept.global_data).to.deep.equal({ curso: 'Direito', ...globalData });
    expect(kept.platform).to.equal('whatsapp');
  });
});
