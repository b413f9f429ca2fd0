import { type ContactData, upsertContactSteps } from '../conversations/contacts.ts';
import { Fragment, jsonOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/*
 * Leads and tickets of a CRM. A record is identified by its kind and `external_id`; it may arrive again, changed or
 * not, partially, and out of order. The latest arrival wins, and an equal one is no change:
 *
 *   findRecords         reads the stored record. If that is later, only fields are written that no later arrival named
 *   updateArrivalTimes  for equal arrivals
 *   storeRecords        otherwise: the record is inserted, or replaces the older one
 *
 * The caller holds the lock of the record until the end, so that nothing comes in between. Each write compares the
 * times of arrival all the same, so an older arrival never replaces a later one, even without the lock.
 */

export type RecordTable = 'leads' | 'tickets';

export interface RecordKey {
  readonly table: RecordTable;
  readonly kind: string;
  readonly externalId: string;
  /** Microsecond precision, as text of PostgreSQL. */
  readonly arrivedAtText: string;
}

export interface NewRecord extends RecordKey {
  /** Values by column; '' is null in a column that is not text. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** The time of the arrival with a stage of a solved ticket, in the same form; null if none has one. Tickets only. */
  readonly solvedAtText: string | null;
}

export interface ExistingRecord {
  readonly id: string;
  readonly contactId: string | null;
  readonly contactEmail: string;
  /** The time of the latest arrival; see `RecordKey`. */
  readonly arrivedAtText: string;
  readonly isLater: boolean;
  /** Set for a ticket that was not solved yet when this arrival came. */
  readonly wasOpen: boolean;
  readonly columns: Readonly<Record<string, unknown>>;
}

const person = ['external_id', 'firstname', 'lastname', 'email', 'mobilephone', 'phone_e164', 'stage'];
const rest = ['inter_data', 'warnings'];
/** Texts of a lead that a ticket lacks. */
export const leadTexts = [
  'cpf',
  'sexo',
  'nome_da_m_e',
  'cep',
  'rua',
  'numero_endereco',
  'complemento',
  'bairro',
  'cidade',
  'estado',
  'dealname',
  'unidade',
  'tipo_ingresso',
  'local_da_prova',
  'modalidade_de_ensino',
  'generalinstructions',
] as const;
/** Columns that a CRM's record fills, apart from its times; `crm/mapping.ts` of the domain has those that a mapping can name. */
export const recordColumns: Readonly<Record<RecordTable, readonly string[]>> = {
  leads: [...person, 'date_of_birth', ...leadTexts, ...rest],
  tickets: [...person, 'subject', 'content', 'campus', ...rest],
};

const tableOf = { leads: sql`leads`, tickets: sql`tickets` };
const columnList = (table: RecordTable, before = '') =>
  new Fragment([recordColumns[table].map(name => `${before}${name}`).join(', ')], []);

/** Finds the stored records of these keys, which are of one table, in order. */
export async function findRecords(
  { tx, hostId }: HostScope,
  table: RecordTable,
  keys: readonly RecordKey[],
): Promise<(ExistingRecord | undefined)[]> {
  const rows = await rowsOf<ExistingRecord & { at: number }>(tx)`
    select sent_record.at, stored_record.id, contact_id as "contactId", coalesce(contacts.email, '') as "contactEmail",
      arrived_at::text as "arrivedAtText", arrived_at > sent_record.arrival as "isLater",
      ${table === 'tickets' ? sql`coalesce(solved_at > sent_record.arrival, true)` : sql`false`} as "wasOpen",
      to_jsonb(stored_record) as columns
    from ${keyRows(keys)}
    cross join lateral (
      select * from ${tableOf[table]} stored_record
      where stored_record.host_id = ${hostId} and kind = sent_record.kind
        and stored_record.external_id = sent_record.external_id limit 1
    ) stored_record
    left join lateral (
      select email from contacts where contacts.host_id = ${hostId} and contacts.id = stored_record.contact_id limit 1
    ) contacts on true`;
  const found = new Map(rows.map(({ at, ...existing }) => [at, existing]));
  return keys.map((_, at) => found.get(at));
}

function keyRows(keys: readonly RecordKey[]): Fragment {
  const rows = keys.map(({ kind, externalId, arrivedAtText }, at) => ({
    at,
    kind,
    external_id: externalId,
    arrival: arrivedAtText,
  }));
  return sql`jsonb_to_recordset(${jsonOf(rows)}::jsonb) sent_record
    (at integer, kind text, external_id text, arrival timestamptz)`;
}

/** Updates only the time of arrival, for equal records of one table. */
export async function updateArrivalTimes(
  { tx, hostId }: HostScope,
  table: RecordTable,
  keys: readonly RecordKey[],
): Promise<void> {
  await rowsOf(tx)`
    update ${tableOf[table]} stored_record set arrived_at = sent_record.arrival from ${keyRows(keys)}
    where stored_record.host_id = ${hostId} and stored_record.kind = sent_record.kind
      and stored_record.external_id = sent_record.external_id
      and stored_record.arrived_at < sent_record.arrival`;
}

export interface StoredRecord {
  readonly id: string;
  readonly isNew: boolean;
  /** Null if no arrival named a contact. */
  readonly contactId: string | null;
  readonly contactEmail: string;
}

/**
 * Stores records of one table, no two of them with the same key, and their contacts in one statement. Returns undefined in
 * place of a record whose contact is an earlier one's: nothing of it is stored.
 */
export async function storeRecords(
  scope: HostScope,
  table: RecordTable,
  records: readonly (NewRecord & { readonly contact: ContactData })[],
): Promise<(StoredRecord | undefined)[]> {
  const { tx, hostId } = scope;
  const contacts = records.map(({ contact }) => contact);
  const rows = await rowsOf<StoredRecord & { at: number }>(tx)`
    with ${upsertContactSteps(scope, contacts)}, new_record as materialized (
      select at, sent_record.kind as record_kind, arrival, solving_arrival, content.*
      from jsonb_to_recordset(${jsonOf(records.map(toRow))}::jsonb) sent_record
        (at integer, kind text, arrival timestamptz, solving_arrival timestamptz, content jsonb),
        jsonb_populate_record(null::${tableOf[table]}, sent_record.content) content
      where at not in (select at from later_match)
    ), stored_record as (
      ${table === 'leads' ? upsertLeads(hostId) : upsertTickets(hostId)}
    )${table === 'leads' ? linkConversations(hostId) : sql``}
    select new_record.at, stored_record.id, "isNew", stored_record.contact_id as "contactId",
      coalesce(contact.email, known_contact.email, '') as "contactEmail"
    from stored_record join new_record
      on new_record.record_kind = stored_record.kind and new_record.external_id = stored_record.external_id
    left join contact on contact.at = new_record.at
    left join lateral (
      select email from contacts
      where contacts.host_id = ${hostId} and contacts.id = stored_record.contact_id and contact.id is null limit 1
    ) known_contact on true`;
  const stored = new Map(rows.map(({ at, ...record }) => [at, record]));
  return records.map((_, at) => stored.get(at));
}

function toRow({ kind, arrivedAtText: arrival, solvedAtText, columns }: NewRecord, at: number): object {
  const { date_of_birth: birth, opened_at: opened, ...texts } = columns;
  const content = { ...texts, date_of_birth: birth || null, opened_at: opened || null };
  return { at, kind, arrival, solving_arrival: solvedAtText, content };
}

/** A false e-mail may gather many conversations: a record that linked all 80,000 of one contact never came through. */
const MAX_LINKED = 1_000;

/**
 * Gives earlier conversations of the contact without a lead the new one. Only the newest are updated; for the others, and those
 * being written to, `leadOfContact` of db/conversations finds it.
 */
function linkConversations(hostId: string): Fragment {
  return sql`, linked_conversation as (
    update conversations set lead_id = stored_record.id, updated_at = now() from stored_record
    where conversations.contact_id = stored_record.contact_id and conversations.ctid = any (array(
      select conversations.ctid
      from stored_record join contact on contact.id = stored_record.contact_id
      join conversations on conversations.host_id = ${hostId} and conversations.contact_id = contact.id and lead_id is null
      order by coalesce(last_message_at, conversations.created_at) desc limit ${MAX_LINKED}
      for no key update of conversations skip locked))
  )`;
}

function upsertLeads(hostId: string): Fragment {
  return sql`
    insert into leads (host_id, kind, contact_id, arrived_at, ${columnList('leads')})
    select ${hostId}, record_kind, contact.id, arrival, ${columnList('leads', 'new_record.')}
    from new_record left join contact using (at)
    on conflict (host_id, kind, external_id) do update set
      (contact_id, arrived_at, updated_at, ${columnList('leads')}) =
      (coalesce(excluded.contact_id, leads.contact_id), excluded.arrived_at, now(), ${columnList('leads', 'excluded.')})
    where leads.arrived_at <= excluded.arrived_at
    returning id, kind, external_id, contact_id, xmax = 0 as "isNew"`;
}

function upsertTickets(hostId: string): Fragment {
  return sql`
    insert into tickets (host_id, kind, contact_id, arrived_at, opened_at, solved_at, ${columnList('tickets')})
    select ${hostId}, record_kind, contact.id, arrival,
      coalesce(new_record.opened_at, arrival), solving_arrival, ${columnList('tickets', 'new_record.')}
    from new_record left join contact using (at)
    on conflict (host_id, kind, external_id) do update set
      (contact_id, arrived_at, updated_at, opened_at, solved_at, ${columnList('tickets')}) =
      (coalesce(excluded.contact_id, tickets.contact_id), excluded.arrived_at, now(),
        case when (excluded.kind, excluded.external_id) in
          (select record_kind, new_record.external_id from new_record where new_record.opened_at is not null)
          then excluded.opened_at else tickets.opened_at end,
        least(tickets.solved_at, excluded.solved_at), ${columnList('tickets', 'excluded.')})
    where tickets.arrived_at <= excluded.arrived_at
    returning id, kind, external_id, contact_id, xmax = 0 as "isNew"`;
}
