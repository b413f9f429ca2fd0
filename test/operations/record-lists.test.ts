import { expect } from 'chai';
import { expectWrong } from '../support/contract.ts';
import { deal, sendDeal, ticket } from '../support/crm.ts';
import type { Fields } from '../support/operation-calls.ts';
import { call as callTool, rounds, say } from '../support/scripted-model.ts';
import { type CallOptions, openService } from '../support/service.ts';

describe('the lists of tickets and leads', () => {
  const service = openService();
  const { demo } = service;
  beforeEach(() => service.db.raw('truncate tickets, leads, contacts cascade'));

  const tickets = (body: Fields = {}, options: CallOptions = {}) => demo.call('listTickets', body, options);
  const leads = (body: Fields = {}, options: CallOptions = {}) => demo.call('listLeads', body, options);
  const sendTicket = (body: Fields) => demo.call('receiveTicket', body);
  const idsIn = ({ body }: { readonly body: { readonly data: { readonly items: Fields[] } } }) =>
    body.data.items.map(({ externalId }) => externalId);

  it('have a ticket as its CRM sent it, with what has no column and what could not be stored', async () => {
    const sent = { ...ticket(1), campus_norte: 'A', canal: { nome: 'portal' }, mobilephone: 'não tem' };
    const { entityData, contactData } = (await sendTicket(sent)).body;
    const { status, body } = await tickets();
    const [{ createdAt, updatedAt, ...item }] = body.data.items;
    expect(status).to.equal(200);
    expect([createdAt, updatedAt].map(time => new Date(time).toISOString())).to.deep.equal([
      createdAt,
      updatedAt,
    ]);
    expect(item).to.deep.equal({
      ticketId: entityData.id,
      kind: 'tickets',
      externalId: '1',
      conversationId: null,
      subject: 'Boleto',
      content: 'Pede a segunda via.',
      campus: { campus_norte: 'A' },
      openedAt: new Date(sent.createdate).toISOString(),
      solvedAt: null,
      contactId: contactData.id,
      firstname: 'Pessoa',
      lastname: '1',
      email: 'pessoa1@example.com',
      mobilephone: '',
      stage: '1',
      interData: [
        { field: 'mobilephone', value: 'não tem' },
        { field: 'canal', value: { nome: 'portal' } },
      ],
      warnings: [{ field: 'mobilephone', message: 'is not a phone number' }],
    });
    await sendTicket({ ...ticket(1), hs_pipeline_stage: 4 });
    expect((await tickets()).body.data.items[0].solvedAt).to.be.a('string');
  });

  it('have a ticket that the assistant opened, with its conversation', async () => {
    const args = { subject: 'Boleto', description: 'Não veio.' };
    service.model.script(rounds(callTool([['open_ticket', args]]), say('Aberto.')));
    const { data } = (await service.ask('Abra um chamado.')).body;
    const [item] = (await tickets()).body.data.items;
    expect(item).to.deep.include({
      ticketId: data.tickets.ticketId,
      kind: 'assistant',
      externalId: null,
      conversationId: data.conversationId,
      subject: 'Boleto',
      content: 'Não veio.',
    });
  });

  it('have a lead with all fields of its deal', async () => {
    const more = {
      cpf: '529.982.247-25',
      cep: '01310-100',
      rua: 'Rua A',
      date_of_birth: '2004-02-29',
      utm: 1,
    };
    const { entityData } = (await demo.call('receiveDeal', { ...deal(5), ...more })).body;
    const [item] = (await leads()).body.data.items;
    expect(item).to.deep.include({
      leadId: entityData.id,
      kind: 'deals',
      externalId: '5',
      dealname: 'Inscrição 5',
      cpf: '52998224725',
      date_of_birth: '2004-02-29',
      rua: 'Rua A',
      stage: '1',
      interData: [{ field: 'utm', value: 1 }],
      warnings: [],
    });
    await demo.call('receiveDeal', { ...deal(6), date_of_birth: 'ontem' });
    const [later] = (await leads()).body.data.items;
    expect(later).to.deep.include({
      date_of_birth: null,
      interData: [{ field: 'date_of_birth', value: 'ontem' }],
    });
    expect(later.warnings[0].field).to.equal('date_of_birth');
  });

  it('are the newest first, and filtered by id in the CRM, contact and time, one by one and together', async () => {
    for (const id of [1, 2, 3]) await sendDeal(service, id);
    await demo.call('receiveDeal', { ...deal(4), email: 'pessoa2@example.com' });
    const all = (await leads()).body.data.items;
    expect(all.map(({ externalId }: Fields) => externalId)).to.deep.equal(['4', '3', '2', '1']);
    const { contactId, createdAt } = all[2];
    expect(idsIn(await leads({ externalId: '3' }))).to.deep.equal(['3']);
    expect(idsIn(await leads({ contactId }))).to.deep.equal(['4', '2']);
    expect(idsIn(await leads({ contactId: contactId.toUpperCase(), externalId: '2' }))).to.deep.equal(['2']);
    expect(idsIn(await leads({ contactId, externalId: '3' }))).to.deep.equal([]);
    expect(idsIn(await leads({ createdSince: createdAt }))).to.deep.equal(['4', '3', '2']);
    expect(idsIn(await leads({ createdSince: createdAt, contactId }))).to.deep.equal(['4', '2']);
    expect(idsIn(await leads({ createdSince: '2999-01-01' }))).to.deep.equal([]);
    expect(idsIn(await leads({ leadId: all[1].leadId }))).to.deep.equal(['3']);
    expect(idsIn(await leads({ leadId: all[1].leadId, contactId }))).to.deep.equal([]);
    expect(idsIn(await tickets({ ticketId: all[1].leadId }))).to.deep.equal([]);
    const [first] = (await leads({ limit: 2, contactId })).body.data.items;
    expect(first.externalId).to.equal('4');
  });

  it('take a time without a zone for one of the host', async () => {
    await sendDeal(service, 1);
    await service.db('leads').update({ created_at: '2026-03-01T02:30:00Z' });
    // Midnight in São Paulo is 03:00 in UTC.
    expect(idsIn(await leads({ createdSince: '2026-02-28' }))).to.deep.equal(['1']);
    expect(idsIn(await leads({ createdSince: '2026-03-01' }))).to.deep.equal([]);
    expectWrong(await leads({ createdSince: '2026-02-30' }), 'createdSince');
  });

  it('find an id in the CRM only if it is the same text', async () => {
    await demo.call('receiveTicket', ticket(7));
    for (const externalId of ['07', '7 ', '7\u0000', '%', "7' or ''='", '7'.repeat(1_000)])
      expect(idsIn(await tickets({ externalId })), externalId.slice(0, 9)).to.deep.equal([]);
    for (const externalId of ['', '7'.repeat(1_001), 7, ['7']])
      expect((await tickets({ externalId })).body.data.fields[0].path).to.equal('externalId');
  });

  it('end a page where it has a mebibyte, also of what is short in the database', async () => {
    const long = 'x'.repeat(300_000);
    // A control character is one byte in a column, and six in JSON.
    const control = '\u0001'.repeat(100_000);
    for (const id of [1, 2, 3]) await sendTicket({ ...ticket(id), content: control, extra: long });
    const seen: unknown[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const answer = await tickets(cursor === null ? {} : { cursor });
      expect(JSON.stringify(answer.body).length).to.be.below(2.2 * 1_048_576);
      seen.push(...idsIn(answer));
      cursor = answer.body.data.nextCursor;
      pages += 1;
    } while (cursor !== null);
    expect([seen, pages]).to.deep.equal([['3', '2', '1'], 2]);
  });
});
