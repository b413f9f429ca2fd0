import { type ContactData, contactWritten } from './contacts.ts';
import { Fragment, jsonOf, rowsOf, sql } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

/*
 * Leads and tickets as a CRM tells them. A record is known by its kind and `external_id`; it may come again, changed or
 * not, and out of order. The later arrival stands, and the same content again is no change:
 *
 *   look   is there one that came later, or that says the same? Then nothing is written but the later arrival
 *   store  else it is inserted, or put over the older one
 *
 * Who looks holds the record until the end, so that nothing comes between the two. Each write compares with the row
 * that it finds all the same: what stands never goes back to an earlier arrival, whoever forgets to hold it.
 */

export type RecordTable = 'leads' | 'tickets';

export interface NewRecord {
  readonly table: RecordTable;
  readonly kind: string;
  readonly externalId: string;
  /** Exact to the microsecond: a text of the store's own. */
  readonly arrival: string;
  /** By the names of the columns; '' in one that is no text is none. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** Of tickets. */
  readonly isSolved: boolean;
}

export interface StandingRecord {
  readonly id: string;
  readonly contactId: string | null;
  readonly contactEmail: string;
  readonly isLater: boolean;
  /** And it is as late by now. */
  readonly isSame: boolean;
}

const person = ['external_id', 'firstname', 'lastname', 'email', 'mobilephone', 'phone_e164', 'stage'];
const rest = ['inter_data', 'warnings'];
const names: Readonly<Record<RecordTable, readonly string[]>> = {
  leads: [
    ...person,
    'cpf',
    'date_of_birth',
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
    ...rest,
  ],
  tickets: [...person, 'subject', 'content', 'campus', ...rest],
};

const tableOf = { leads: sql`leads`, tickets: sql`tickets` };
const listed = (table: RecordTable, before = '') =>
  new Fragment([names[table].map(name => `${before}${name}`).join(', ')], []);

/** What is stored under this key, with the arrival moved on where it says the same. */
export async function lookForRecord(
  { tx, hostId }: HostScope,
  record: NewRecord,
): Promise<StandingRecord | undefined> {
  const { table, kind, externalId, arrival } = record;
  const [standing] = await rowsOf<StandingRecord>(tx)`
    with standing as (
      select stored.id, contact_id, coalesce(contacts.email, '') as email, arrived_at, digest,
        md5(${contentOf(record)}::jsonb::text) as given
      from ${tableOf[table]} stored
      left join contacts on contacts.host_id = stored.host_id and contacts.id = stored.contact_id
      where stored.host_id = ${hostId} and kind = ${kind} and stored.external_id = ${externalId}
    ), moved as (
      update ${tableOf[table]} stored set arrived_at = ${arrival}::timestamptz from standing
      where stored.host_id = ${hostId} and stored.id = standing.id and stored.digest = given
        and stored.arrived_at < ${arrival}::timestamptz
      returning stored.id
    )
    select id, contact_id as "contactId", email as "contactEmail", arrived_at > ${arrival}::timestamptz as "isLater",
      exists (select from moved) or (digest = given and arrived_at = ${arrival}::timestamptz) as "isSame"
    from standing`;
  return standing;
}

export interface StoredRecord {
  readonly id: string;
  readonly isNew: boolean;
  /** Null where no arrival of the record told of anybody. */
  readonly contactId: string | null;
  readonly contactEmail: string;
}

/** With its contact, by one statement. Undefined where a later arrival, or one that says the same, stands. */
export async function storeRecord(
  scope: HostScope,
  record: NewRecord,
  contact: ContactData,
): Promise<StoredRecord | undefined> {
  const { tx, hostId } = scope;
  const [stored] = await rowsOf<StoredRecord>(tx)`
    with ${contactWritten(scope, contact)}, stored as (
      ${record.table === 'leads' ? leadStored(hostId, record) : ticketStored(hostId, record)}
    ), linked as (${record.table === 'leads' ? leadLinked(hostId) : sql`select`})
    select stored.id, "isNew", stored.contact_id as "contactId", coalesce(contact.email, former.email, '') as "contactEmail"
    from stored left join contact on true
    left join contacts former on former.host_id = ${hostId} and former.id = stored.contact_id and contact.id is null`;
  return stored;
}

/** What was talked about with a person before it became a deal belongs to the deal. */
function leadLinked(hostId: string): Fragment {
  return sql`
    update conversations set lead_id = stored.id, updated_at = now() from stored, contact
    where conversations.host_id = ${hostId} and conversations.contact_id = contact.id and lead_id is null`;
}

function leadStored(hostId: string, record: NewRecord): Fragment {
  return sql`
    insert into leads (host_id, kind, contact_id, arrived_at, digest, ${listed('leads')})
    select ${hostId}, ${record.kind}, (select id from contact), ${record.arrival}::timestamptz, md5(said::text),
      ${listed('leads', 'put.')}
    from (values (${contentOf(record)}::jsonb)) content (said), jsonb_populate_record(null::leads, said) put
    on conflict (host_id, kind, external_id) do update set
      (contact_id, arrived_at, digest, updated_at, ${listed('leads')}) =
      (coalesce(excluded.contact_id, leads.contact_id), excluded.arrived_at, excluded.digest, now(),
        ${listed('leads', 'excluded.')})
    where leads.arrived_at <= excluded.arrived_at and (leads.digest <> excluded.digest or leads.contact_id is null)
    returning id, contact_id, xmax = 0 as "isNew"`;
}

function ticketStored(hostId: string, record: NewRecord): Fragment {
  const { opened_at: openedAt } = record.columns;
  return sql`
    insert into tickets (host_id, kind, contact_id, arrived_at, digest, opened_at, solved_at, ${listed('tickets')})
    select ${hostId}, ${record.kind}, (select id from contact), arrival, md5(said::text),
      coalesce(put.opened_at, arrival), case when ${record.isSolved}::boolean then arrival end,
      ${listed('tickets', 'put.')}
    from (values (${contentOf(record)}::jsonb, ${record.arrival}::timestamptz)) content (said, arrival),
      jsonb_populate_record(null::tickets, said) put
    on conflict (host_id, kind, external_id) do update set
      (contact_id, arrived_at, digest, updated_at, opened_at, solved_at, ${listed('tickets')}) =
      (coalesce(excluded.contact_id, tickets.contact_id), excluded.arrived_at, excluded.digest, now(),
        case when ${Boolean(openedAt)}::boolean then excluded.opened_at
          else least(tickets.opened_at, excluded.opened_at) end,
        coalesce(tickets.solved_at, excluded.solved_at), ${listed('tickets', 'excluded.')})
    where tickets.arrived_at <= excluded.arrived_at
      and (tickets.digest <> excluded.digest or tickets.contact_id is null)
    returning id, contact_id, xmax = 0 as "isNew"`;
}

/** All that two arrivals must have in common to say the same. */
function contentOf({ columns, isSolved }: NewRecord): string {
  const { date_of_birth: birth, opened_at: opened, ...texts } = columns;
  return jsonOf({ ...texts, date_of_birth: birth || null, opened_at: opened || null, solved: isSolved });
}
