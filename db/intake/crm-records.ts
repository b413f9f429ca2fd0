import { type ContactData, upsertContactSteps } from '../conversations/contacts.ts';
import { Fragment, jsonOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/*
 * Leads and tickets of a CRM. A record is identified by its kind and `external_id`; it may arrive again, changed or
 * not, partially, and out of order. The latest arrival wins, and an equal one is no change:
 *
 *   findRecord         reads the stored record. If that is later, only fields are written that no later arrival named
 *   updateArrivalTime  for an equal arrival
 *   storeRecord        otherwise: the record is inserted, or replaces the older one
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
  readonly arrival: string;
}

export interface NewRecord extends RecordKey {
  /** By column names; '' is null in a column that is not text. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** Tickets only. */
  readonly isSolved: boolean;
}

export interface ExistingRecord {
  readonly id: string;
  readonly contactId: string | null;
  readonly contactEmail: string;
  /** When the latest arrival came; see `RecordKey`. */
  readonly arrival: string;
  readonly isLater: boolean;
  /** By the names of the columns. */
  readonly columns: Readonly<Record<string, unknown>>;
}

const person = ['external_id', 'firstname', 'lastname', 'email', 'mobilephone', 'phone_e164', 'stage'];
const rest = ['inter_data', 'warnings'];
/** Texts of a lead that a ticket has not. */
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
/** What a record of a CRM fills, apart from its times; `columns.ts` of the domain has those that a mapping can name. */
export const recordColumns: Readonly<Record<RecordTable, readonly string[]>> = {
  leads: [...person, 'date_of_birth', ...leadTexts, ...rest],
  tickets: [...person, 'subject', 'content', 'campus', ...rest],
};

const tableOf = { leads: sql`leads`, tickets: sql`tickets` };
const columnList = (table: RecordTable, before = '') =>
  new Fragment([recordColumns[table].map(name => `${before}${name}`).join(', ')], []);

/** The stored record of this key. */
export async function findRecord(
  { tx, hostId }: HostScope,
  { table, kind, externalId, arrival }: RecordKey,
): Promise<ExistingRecord | undefined> {
  const [existing] = await rowsOf<ExistingRecord>(tx)`
    select stored.id, contact_id as "contactId", coalesce(contacts.email, '') as "contactEmail",
      arrived_at::text as arrival, arrived_at > ${arrival}::timestamptz as "isLater", to_jsonb(stored) as columns
    from ${tableOf[table]} stored
    left join contacts on contacts.host_id = stored.host_id and contacts.id = stored.contact_id
    where stored.host_id = ${hostId} and kind = ${kind} and stored.external_id = ${externalId}`;
  return existing;
}

/** Updates only the time of arrival, for an equal record. */
export async function updateArrivalTime(
  { tx, hostId }: HostScope,
  { table, kind, externalId, arrival }: RecordKey,
): Promise<void> {
  await rowsOf(tx)`
    update ${tableOf[table]} stored set arrived_at = ${arrival}::timestamptz
    where stored.host_id = ${hostId} and kind = ${kind} and stored.external_id = ${externalId}
      and stored.arrived_at < ${arrival}::timestamptz`;
}

export interface StoredRecord {
  readonly id: string;
  readonly isNew: boolean;
  /** Null where no arrival named a contact. */
  readonly contactId: string | null;
  readonly contactEmail: string;
}

/** Stores the record and its contact in one statement. Undefined where a later arrival is stored. */
export async function storeRecord(
  scope: HostScope,
  record: NewRecord,
  contact: ContactData,
): Promise<StoredRecord | undefined> {
  const { tx, hostId } = scope;
  const [stored] = await rowsOf<StoredRecord>(tx)`
    with ${upsertContactSteps(scope, contact)}, stored as (
      ${record.table === 'leads' ? upsertLead(hostId, record) : upsertTicket(hostId, record)}
    ), linked as (${record.table === 'leads' ? linkConversations(hostId) : sql`select`})
    select stored.id, "isNew", stored.contact_id as "contactId", coalesce(contact.email, former.email, '') as "contactEmail"
    from stored left join contact on true
    left join contacts former on former.host_id = ${hostId} and former.id = stored.contact_id and contact.id is null`;
  return stored;
}

/** Earlier conversations of the contact without a lead belong to the new lead. */
function linkConversations(hostId: string): Fragment {
  return sql`
    update conversations set lead_id = stored.id, updated_at = now() from stored, contact
    where conversations.host_id = ${hostId} and conversations.contact_id = contact.id and lead_id is null`;
}

function upsertLead(hostId: string, record: NewRecord): Fragment {
  return sql`
    insert into leads (host_id, kind, contact_id, arrived_at, ${columnList('leads')})
    select ${hostId}, ${record.kind}, (select id from contact), ${record.arrival}::timestamptz, ${columnList('leads', 'put.')}
    from jsonb_populate_record(null::leads, ${contentOf(record)}::jsonb) put
    on conflict (host_id, kind, external_id) do update set
      (contact_id, arrived_at, updated_at, ${columnList('leads')}) =
      (coalesce(excluded.contact_id, leads.contact_id), excluded.arrived_at, now(), ${columnList('leads', 'excluded.')})
    where leads.arrived_at <= excluded.arrived_at
    returning id, contact_id, xmax = 0 as "isNew"`;
}

function upsertTicket(hostId: string, record: NewRecord): Fragment {
  const { opened_at: openedAt } = record.columns;
  return sql`
    insert into tickets (host_id, kind, contact_id, arrived_at, opened_at, solved_at, ${columnList('tickets')})
    select ${hostId}, ${record.kind}, (select id from contact), arrival,
      coalesce(put.opened_at, arrival), case when ${record.isSolved}::boolean then arrival end,
      ${columnList('tickets', 'put.')}
    from (values (${record.arrival}::timestamptz)) at (arrival),
      jsonb_populate_record(null::tickets, ${contentOf(record)}::jsonb) put
    on conflict (host_id, kind, external_id) do update set
      (contact_id, arrived_at, updated_at, opened_at, solved_at, ${columnList('tickets')}) =
      (coalesce(excluded.contact_id, tickets.contact_id), excluded.arrived_at, now(),
        case when ${Boolean(openedAt)}::boolean then excluded.opened_at else tickets.opened_at end,
        coalesce(tickets.solved_at, excluded.solved_at), ${columnList('tickets', 'excluded.')})
    where tickets.arrived_at <= excluded.arrived_at
    returning id, contact_id, xmax = 0 as "isNew"`;
}

function contentOf({ columns }: NewRecord): string {
  const { date_of_birth: birth, opened_at: opened, ...texts } = columns;
  return jsonOf({ ...texts, date_of_birth: birth || null, opened_at: opened || null });
}
