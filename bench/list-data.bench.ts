import type { Db } from '../db/connection.ts';
import { makeHost } from './database.bench.ts';

/** Spread over the order of creation, so that every list filter has conversations of all ages, and `fair` only old ones. */
const shares = `
  case when nth % 1000 = 0 and nth < :conversations / 2 then 'fair' when nth % 10 = 0 then 'site' else 'whatsapp' end as platform,
  nth % 5 < 2 as closed, nth % 20 = 0 as archived, nth % 500 = 3 as ask_human_help,
  case when nth % 1000 = 3 then 'person ' || nth % 7 end as assigned_to,
  at + case when nth % 10 = 1 then interval '2 days' else interval '1 second' end as updated_at`;

/**
 * Creates a host with this many conversations over two years, and a contact for each fifty of them; the newest 20,000
 * have a message. A tenth was changed again two days after its last message.
 */
export async function fillHost(db: Db, conversations: number): Promise<string> {
  const hostId = await makeHost(db, `bench-${conversations}`);
  const values = { hostId, conversations };
  await db.transaction(async tx => {
    // Foreign keys and triggers are switched off.
    await tx.raw('set local statement_timeout = 0; set local session_replication_role = replica');
    await tx.raw(
      `insert into contacts (host_id, name, email)
       select :hostId::uuid, 'Pessoa ' || nth, 'p' || nth || '@example.com' from generate_series(1, :conversations / 50) nth`,
      values,
    );
    await tx.raw(
      `with people as (select id, row_number() over () - 1 as place from contacts where host_id = :hostId),
       talks as (
         select nth, now() - interval '1 hour' - (:conversations - nth) * interval '2 years' / :conversations as at
         from generate_series(1, :conversations) nth
       )
       insert into conversations (host_id, created_at, last_message_at, contact_id, user_name, dialogue_summary,
         platform, closed, archived, ask_human_help, assigned_to, updated_at)
       select :hostId::uuid, at - interval '10 minutes', at, people.id, 'Pessoa', repeat('resumo ', 40), ${shares}
       from talks join people on people.place = talks.nth % (:conversations / 50)`,
      values,
    );
    await tx.raw(
      `insert into messages (host_id, conversation_id, author, content, created_at)
       select host_id, id, 'user', 'Qual é o horário da secretaria.', last_message_at from conversations
       where host_id = :hostId order by last_message_at desc limit 20000`,
      values,
    );
  });
  return hostId;
}

/** A conversation with this many messages. */
export async function fillConversation(db: Db, hostId: string, messages: number): Promise<string> {
  const [row] = await db('conversations').insert({ host_id: hostId }).returning('id');
  await db.raw(
    `insert into messages (host_id, conversation_id, author, content)
     select ?, ?, case when nth % 2 = 0 then 'assistant' else 'user' end, 'Qual é o horário da secretaria.'
     from generate_series(1, ?) nth`,
    [hostId, row.id, messages],
  );
  return row.id;
}
