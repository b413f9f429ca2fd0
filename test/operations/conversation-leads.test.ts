import { expect } from 'chai';
import { deal } from '../support/crm.ts';
import { openService } from '../support/service.ts';

describe('the lead of a conversation', () => {
  const service = openService();
  const { demo } = service;
  const told = async (n: number) =>
    (await service.ask('Quanto custa?', { userData: { email: deal(n).email } })).body.data;
  const sent = async (body: object) => (await demo.call('receiveDeal', body)).body.entityData.id;
  const leadOf = async (conversationId: string) =>
    (await demo.call('getConversationInformation', { conversationId })).body.data.lead_id;

  it('is that of a deal which came before, in the first turn that says who it is', async () => {
    const id = await sent(deal(1));
    const { leadId, conversationId } = await told(1);
    expect([leadId, await leadOf(conversationId)]).to.deep.equal([id, id]);
  });

  it('is that of a deal which waits for no conversation of its contact, of which there may be any number', async () => {
    const { conversationId } = await told(8);
    const id = await service.db.transaction(async tx => {
      await tx('conversations').where({ id: conversationId }).forUpdate();
      return sent(deal(8));
    });
    expect(await leadOf(conversationId)).to.equal(id);
  });

  it('is found by a phone that was told in a turn, whose contact can be called like any other', async () => {
    const phone = '(11) 8765-4321';
    const { body } = await service.ask('Oi', { userData: { phone } });
    const [contact] = await service.db('contacts').where({ id: body.data.userId });
    expect([contact.phone, contact.phone_e164]).to.deep.equal([phone, '+5511987654321']);
    const { email: _, ...withoutEmail } = deal(6);
    const id = await sent({ ...withoutEmail, mobilephone: '+55 11 98765-4321' });
    expect(await leadOf(body.data.conversationId)).to.equal(id);
  });

  it('waits for nobody for ever where a turn and a deal of one person come at once', async () => {
    const { conversationId } = await told(7);
    const { email } = deal(7);
    const ask = () => service.ask('Quanto custa?', { conversationId, userData: { email } });
    const order = (n: number) => demo.call('receiveDeal', { ...deal(700 + n), email });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => (n % 2 ? ask() : order(n))));
    for (const { status } of answers) expect(status).to.equal(200);
    expect(await leadOf(conversationId)).to.not.equal('');
  });
});
