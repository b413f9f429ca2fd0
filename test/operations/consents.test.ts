import { expect } from 'chai';
import { erasePerson } from '../../db/person/erase-person.ts';
import { exportPerson } from '../../db/person/export-person.ts';
import { expectRefused, expectWrong } from '../support/contract.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';

const EMAIL = 'ana.consente@example.com';

describe('a consent', () => {
  const { demo, acme, db, newConversation } = openService();
  const said = { version: '1', textDigest: 'abc', channel: 'whatsapp' };
  const give = (more: Fields) => demo.call('saveConsent', { ...said, ...more });
  const list = async (person: Fields): Promise<Fields[]> =>
    (await demo.call('listConsents', { contactId: undefined, ...person })).body.data;
  const stored = () => db('consents').where({ host_id: demo.hostId });

  it('is of the person: said before anybody knew who it was, it is found, exported and erased with the contact', async () => {
    const conversationId = await newConversation();
    const { status, body } = await give({ conversationId });
    expect([status, body.data.contactId, body.data.withdrawn]).to.deep.equal([201, null, false]);
    await demo.ask('Oi', { conversationId, userData: { email: EMAIL } });
    const other = await newConversation();
    const { data } = await demo.ask('Oi', { conversationId: other, userData: { email: EMAIL } });
    const contactId = data.userId as string;
    await give({ conversationId: undefined, contactId, version: '2' });
    for (const person of [{ contactId }, { conversationId }, { conversationId: other }])
      expect((await list(person)).map(({ version }) => version)).to.deep.equal(['2', '1']);
    expect((await exportPerson(db, demo.hostId, EMAIL)).tables['consents']).to.have.length(2);
    expect((await erasePerson(db, demo.hostId, EMAIL)).rows).to.include({ consents: 2 });
    expect(await stored()).to.deep.equal([]);
  });

  it('counts as it was said last, whatever arrives last, and nothing is said in the future', async () => {
    const conversationId = await newConversation();
    await give({ conversationId, at: '2999-01-01T00:00:00Z' });
    await give({ conversationId, withdrawn: true });
    await give({ conversationId, at: '2026-01-01T10:00:00-03:00' });
    await give({ conversationId, version: '0', at: '2026-01-01T10:00:00-03:00' });
    const newest = await list({ conversationId });
    expect(newest.map(({ version, withdrawn }) => [version, withdrawn])).to.deep.equal([
      ['1', true],
      ['0', false],
    ]);
    expect(newest[1]?.['at']).to.equal('2026-01-01T13:00:00.000Z');
    expect(await stored()).to.have.length(4);
  });

  it('needs a conversation or a contact, of this host', async () => {
    const conversationId = await newConversation();
    expectWrong(await give({ conversationId: undefined }), '', 'one of conversationId, contactId');
    expectRefused(await give({ conversationId, contactId: conversationId }), 'contact-not-found');
    const contactless = { conversationId: undefined, contactId: conversationId };
    expectRefused(await give(contactless), 'contact-not-found');
    expectRefused(await acme.call('saveConsent', { ...said, conversationId }), 'conversation-not-found');
  });
});
