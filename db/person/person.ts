import { isUuid } from '../../platform/uuid.ts';
import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { exactKey, mayBeAbroad } from './phone-matches.ts';

/** The identifiers by which rows of a host refer to one person. */
export interface Person {
  /** Empty if the host has no such contact: rows that never became one may still name the person. */
  readonly contactIds: readonly string[];
  readonly emails: readonly string[];
  /** The database's keys, with a plus for a foreign phone: a phone of Porto Alegre and one of Peru have the same digits. */
  readonly phoneKeys: readonly string[];
  readonly cpfs: readonly string[];
}

interface FoundContact {
  readonly id: string;
  /** Null if another contact has it, too: it does not say which of them is meant. */
  readonly email: string | null;
  readonly phoneKeys: readonly (string | null)[];
  readonly cpf: string | null;
}

/**
 * Finds the person of an id, an e-mail or a phone in any spelling. Throws if several contacts share the e-mail or the phone:
 * families do, and only one of them is meant.
 */
export async function findPerson(scope: HostScope, text: string): Promise<Person> {
  const identifier = text.trim();
  const isEmail = identifier.includes('@');
  const ownKeys = isEmail || isUuid(identifier) ? [] : await readPhoneKeys(scope, identifier);
  const contacts = await findContacts(scope, identifier, ownKeys);
  if (contacts.length > 1) {
    const ids = contacts.map(({ id }) => id).join(', ');
    throw new Error(
      `${contacts.length} contacts have that e-mail or phone: give the id of one of them (${ids}).`,
    );
  }
  const known = contacts.map(({ id }) => id);
  return {
    contactIds: known,
    emails: distinct([isEmail ? identifier.toLowerCase() : null, ...contacts.map(({ email }) => email)]),
    phoneKeys: distinct([...ownKeys, ...contacts.flatMap(({ phoneKeys }) => readingsOf(phoneKeys))]),
    cpfs: distinct([...contacts.map(({ cpf }) => cpf), ...(await cpfsOfLeads(scope, known))]),
  };
}

function findContacts(
  { tx, hostId }: HostScope,
  identifier: string,
  phoneKeys: readonly string[],
): Promise<FoundContact[]> {
  const isIt = isUuid(identifier)
    ? sql`id = ${identifier}`
    : identifier.includes('@')
      ? sql`email_folded = lower(${identifier})`
      : sql`phone_key = any (${phoneKeys.map(key => key.replace('+', ''))}::text[]) and ${exactKey(sql`phone`)} = any (${phoneKeys}::text[])`;
  return rowsOf<FoundContact>(tx)`
    select id, case when not exists (
        select from contacts other
        where other.host_id = ${hostId} and other.email_folded = contacts.email_folded and other.id <> contacts.id
      ) then email_folded end as email, array[${exactKey(sql`phone`)}, ${exactKey(sql`'+' || phone`)}] as "phoneKeys", regexp_replace(cpf, '[^0-9]', '', 'g') as cpf
    from contacts where host_id = ${hostId} and ${isIt} order by id`;
}

/**
 * Without a plus, digits may be Brazilian or begin with a country's code: a contact that has them decides; several contacts are
 * refused.
 */
async function readPhoneKeys({ tx, hostId }: HostScope, phone: string): Promise<string[]> {
  const [read] = await rowsOf<{ keys: (string | null)[] }>(tx)`
    select array[${exactKey(sql`given`)}, ${exactKey(sql`'+' || given`)}] as keys from (values (${phone}::text)) phone (given)`;
  const keys = distinct(readingsOf(read?.keys ?? []));
  if (keys.length === 0) throw new Error('Give the id, the e-mail or the phone of a contact.');
  const known = await rowsOf<{ key: string }>(tx)`
    select key from unnest(${keys}::text[]) key where exists (
      select from contacts where host_id = ${hostId} and phone_key = ltrim(key, '+') and ${exactKey(sql`phone`)} = key)`;
  return known.length > 0 ? known.map(({ key }) => key) : keys;
}

/** Returns the key of a phone as given, and that with a plus; only the first, Brazilian one if both have the same digits. */
function readingsOf([own, abroad]: readonly (string | null | undefined)[]): (string | null)[] {
  const isSame = own && abroad === `+${own}` && mayBeAbroad(own);
  return [own ?? null, isSame ? null : (abroad ?? null)];
}

async function cpfsOfLeads({ tx, hostId }: HostScope, contactIds: readonly string[]): Promise<string[]> {
  const leads = await rowsOf<{ cpf: string }>(tx)`
    select distinct cpf from leads
    where host_id = ${hostId} and contact_id = any (${contactIds}::uuid[]) and cpf <> ''`;
  return leads.map(({ cpf }) => cpf);
}

function distinct(values: readonly (string | null)[]): string[] {
  return [...new Set(values.filter(value => value !== null && value !== ''))] as string[];
}
