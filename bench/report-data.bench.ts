import type { Db } from '../db/connection.ts';
import { createHost } from '../db/hosts/hosts.ts';

export const MONTHS = 24;
/** The start of the period in São Paulo. */
export const BEGINS = '2024-03-01T03:00:00Z';
const LAST_DAY = '2026-02-28T03:00:00Z';
const MESSAGES_EACH = 50;
/** One conversation in this many has a ticket. */
const TICKET_EVERY = 20;

/**
 * Creates a host with this many messages, half of them of users, in conversations of 50 over 24 months, on three
 * platforms. Its daily counts are computed in one statement, the same as after a change of the time zone.
 */
export async function fillHost(db: Db, messages: number): Promise<string> {
  const host = await createHost(db, { slug: `bench-${messages}`, name: `${messages} messages` });
  const hostId = host?.id ?? '';
  await db.transaction(async tx => {
    // Foreign keys and triggers are switched off.
    await tx.raw('set local statement_timeout = 0; set local session_replication_role = replica');
    const spans = { hostId, conversations: Math.ceil(messages / MESSAGES_EACH), BEGINS, LAST_DAY };
    await tx.raw(
      `create temp table talks on commit drop as
       select gen_random_uuid() as id, nth,
         :BEGINS::timestamptz + (:LAST_DAY::timestamptz - :BEGINS::timestamptz) * nth / :conversations::float8 as at
       from generate_series(0, :conversations - 1) nth`,
      spans,
    );
    await tx.raw(
      `insert into conversations (host_id, id, platform, created_at)
       select :hostId::uuid, id, (array['whatsapp', 'site', 'api'])[1 + nth % 3], at from talks`,
      spans,
    );
    await tx.raw(
      `insert into messages (host_id, conversation_id, author, content, created_at, opens_service)
       select :hostId::uuid, id, case when said % 2 = 0 then 'user' when nth % 10 = 0 then 'human' else 'assistant' end,
         'Qual é o horário da secretaria?', at + said * interval '2 minutes', said = 0
       from talks, generate_series(0, ${MESSAGES_EACH - 1}) said`,
      spans,
    );
    await tx.raw(
      `insert into tickets (host_id, kind, subject, opened_at, solved_at)
       select :hostId::uuid, 'assistant', 'Boleto', at, case when nth % 3 > 0 then at + interval '2 days' end
       from talks where nth % ${TICKET_EVERY} = 0`,
      spans,
    );
    await tx.raw('set local session_replication_role = origin');
    // Without statistics, the planner would count ten million rows of this new host by nested loops.
    await tx.raw('analyze conversations, messages, tickets');
    await tx.raw(`select pg_advisory_xact_lock(hashtext('parley report folding')), recount_report_days(?)`, [
      hostId,
    ]);
  });
  await db.raw(`insert into contracts values (?, '2020-01-01', 1.80, 1000)`, [hostId]);
  return hostId;
}

/** A report without daily counts reads all messages of the period. */
export const plainQuery = `
  select local_day(messages.created_at, time_zone), author, platform, count(*), count(*) filter (where opens_service),
    count(*) filter (where is_after_hours(messages.created_at, time_zone, open_minutes))
  from messages
  join conversations on conversations.host_id = messages.host_id and conversations.id = conversation_id
  join hosts on hosts.id = messages.host_id
  where messages.host_id = ? and messages.created_at >= ? and messages.created_at < ?
  group by 1, 2, 3`;
