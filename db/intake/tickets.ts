import { rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

export interface NewTicket {
  readonly conversationId: string;
  readonly contactId: string | undefined;
  readonly subject: string;
  readonly content: string;
}

/** Inserts a ticket of the assistant, which has no `external_id`, because the CRM does not know it. */
export async function openTicket({ tx, hostId }: HostScope, ticket: NewTicket): Promise<{ id: string }> {
  const { conversationId, contactId, subject, content } = ticket;
  const [opened] = await rowsOf<{ id: string }>(tx)`
    insert into tickets (host_id, kind, conversation_id, contact_id, subject, content, firstname, lastname, email,
      mobilephone, phone_e164)
    select ${hostId}, 'assistant', ${conversationId}, contact.id, ${subject}, ${content}, coalesce(contact.name, ''),
      '', coalesce(contact.email, ''), coalesce(contact.phone, ''), coalesce(contact.phone_e164, '')
    from (values (${contactId ?? null}::uuid)) ticket (contact_id)
    left join contacts contact on contact.host_id = ${hostId} and contact.id = ticket.contact_id
    returning id`;
  if (!opened) throw new Error('The ticket was not stored.');
  return opened;
}
