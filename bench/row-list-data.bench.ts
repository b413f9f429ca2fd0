import type { Db } from '../db/connection.ts';
import { createHost } from '../db/hosts/hosts.ts';

/**
 * Statements that fill each list from `spot`, which has a number `nth` up to :rows, and a time `at`, the newest last. Rare rows
 * are old.
 */
const tables = {
  tickets: `
    insert into tickets (host_id, kind, external_id, contact_id, subject, content, stage, created_at, opened_at)
    select :hostId::uuid, case when nth % 10 = 0 then 'assistant' else 'tickets' end,
      case when nth % 10 <> 0 then 'T-' || nth end, contact, 'Matrícula', repeat('texto ', 40), 'novo', at, at from spot`,
  leads: `
    insert into leads (host_id, kind, external_id, contact_id, firstname, dealname, generalinstructions, created_at, arrived_at)
    select :hostId::uuid, 'deals', 'L-' || nth, contact, 'Ana', 'Direito', repeat('texto ', 40), at, at from spot`,
  records: `
    insert into intake_records (host_id, kind, job_id, arrived_at, body, state, status, created_at)
    select :hostId::uuid, case when nth % 1000 = 0 and is_old then 'objects' when nth % 3 = 0 then 'tickets' else 'deals' end,
      'k' || nth, at, json_build_object('external_id', nth, 'note', repeat('texto ', 40)),
      case when nth % 1000 = 1 and is_old then 'refused' else 'done' end, 'created', at from spot`,
  documents: `
    insert into datasets (host_id, name) select :hostId::uuid, 'base ' || nth from generate_series(0, 20) nth;
    with source as (select id, split_part(name, ' ', 2)::integer as place from datasets where host_id = :hostId)
    insert into documents (host_id, dataset_id, external_key, name, media_type, created_at)
    select :hostId::uuid, source.id, 'D-' || nth, 'Manual', 'text/markdown', at from spot
      join source on source.place = case when nth % 1000 = 0 and is_old then 20 when nth > :rows * 0.8 then 19 else nth % 19 end;
    insert into document_imports (host_id, id, document_id, name, media_type, token_id, token_name)
    select host_id, 'k' || id, id, name, media_type, host_id, 'bench' from documents
    where host_id = :hostId order by created_at desc limit 20000`,
  deliveries: `
    insert into webhooks (host_id, id, name, url, origin, events, secrets)
    select :hostId::uuid, gen_random_uuid(), 'receiver ' || nth, 'https://crm.example', 'https://crm.example', '{}', '[]'
      from generate_series(0, 20) nth;
    insert into events (host_id, id, type, data, created_at)
    select :hostId::uuid, md5(nth::text)::uuid, 'turn.answered', '{}', at from spot where nth % 20 = 0;
    with receiver as (select id, split_part(name, ' ', 2)::integer as place from webhooks where host_id = :hostId)
    insert into deliveries (host_id, event_id, webhook_id, state, attempts, created_at)
    select :hostId::uuid, md5((nth - nth % 20 + 20)::text)::uuid, receiver.id,
      case when nth % 1000 in (1, 20) and is_old then 'dead' else 'delivered' end, 1, at from spot
      join receiver on receiver.place = case when nth % 1000 = 0 and is_old then 20 else nth % 20 end
    where nth <= :rows - 20`,
  audit: `
    insert into audit_entries (host_id, created_at, actor_kind, actor_name, operation, table_name, row_id, after)
    select :hostId::uuid, at, 'token', 'bench', case when nth % 1000 = 0 and is_old then 'saveFlow' else 'editAvatar' end,
      'avatars', nth::text, jsonb_build_object('name', repeat('nome ', 20)) from spot`,
} as const;

export type ListedTable = keyof typeof tables;
export const listedTables = Object.keys(tables) as ListedTable[];

/** Creates a host with this many rows in one of its lists, over two years, and a contact for every fifty of them. */
export async function fillList(db: Db, list: ListedTable, rows: number): Promise<string> {
  const host = await createHost(db, { slug: `bench-${list}`, name: list });
  const hostId = host?.id ?? '';
  await db.transaction(async tx => {
    // Foreign keys and triggers are switched off.
    await tx.raw('set local statement_timeout = 0; set local session_replication_role = replica');
    await tx.raw(
      `insert into contacts (host_id, name, email)
       select ?::uuid, 'Pessoa ' || nth, 'p' || nth || '@example.com' from generate_series(1, ? / 50) nth`,
      [hostId, rows],
    );
    await tx.raw(
      'create temporary table spot (nth integer, contact uuid, is_old boolean, at timestamptz) on commit drop',
    );
    await tx.raw(
      `with people as (select id, row_number() over () - 1 as place from contacts where host_id = :hostId)
       insert into spot select nth, people.id, nth < :rows / 2,
         now() - interval '1 hour' - (:rows - nth) * interval '2 years' / :rows
       from generate_series(1, :rows::integer) nth join people on people.place = nth % (:rows / 50)`,
      { hostId, rows },
    );
    for (const statement of tables[list].split(';')) await tx.raw(statement, { hostId, rows });
  });
  return hostId;
}
