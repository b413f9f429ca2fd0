import { expect } from 'chai';
import { upsertContact } from '../../db/conversations/contacts.ts';
import { insertConversation } from '../../db/conversations/conversations.ts';
import { openTicket } from '../../db/intake/tickets.ts';
import { withHost } from '../../db/with-hosts.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

describe('tickets of the assistant', () => {
  const { db } = openOnce(makeDatabase);

  it('stand in their conversation, with what is known of the contact', async () => {
    const { hostId } = await buildHost(db);
    const opened = await withHost(db, hostId, async scope => {
      const conversationId = await insertConversation(scope);
      const contactId = await upsertContact(scope, { name: 'Bia', email: 'bia@uni.example' });
      const about = { conversationId, subject: 'Boleto', content: 'Pede a segunda via.' };
      return [
        await openTicket(scope, { ...about, contactId }),
        await openTicket(scope, { ...about, contactId: undefined }),
      ];
    });
    const rows = await db('tickets')
      .whereIn(
        'id',
        opened.map(({ id }) => id),
      )
      .orderBy('email', 'desc');
    expect(rows.map(row => [row.kind, row.firstname, row.email, row.external_id])).to.eql([
      ['assistant', 'Bia', 'bia@uni.example', null],
      ['assistant', '', '', null],
    ]);
  });
});
