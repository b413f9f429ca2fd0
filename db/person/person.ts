import { isUuid } from '../../platform/uuid.ts';
import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** The identifiers by which rows of a host refer to one person. */
export interface Person {
  /** Empty where the host has no such contact: rows that never became one may still name the person. */
  readonly contactIds: readonly string[];
  readonly emails: readonly string[];
  readonly phoneKeys: readonly string[];
  readonly cpfs: readonly string[];
}

interface FoundContact {
  readonly id: string;
  readonly email: string | null;
  readonly phoneKey: string | null;
  readonly cpf: string | null;
}

/**
 * The person of an id, an e-mail or a phone in any spelling. Throws where several contacts share the phone: families
 * do, and only one of them is meant.
 */
export async function findPerson(scope: HostScope, text: string): Promise<Person> {
  const identifier = text.trim();
  const contacts = await findContacts(scope, identifier);
  if (contacts.length > 1) {
    const ids = contacts.map(({ id }) => id).join(', ');
    throw new Error(`${contacts.length} contacts have that phone: give the id of one of them (${ids}).`);
  }
  const isEmail = identifier.includes('@');
  const ownKey = isEmail || isUuid(identifier) ? null : await readPhoneKey(scope, identifier);
  const known = contacts.map(({ id }) => id);
  return {
    contactIds: known,
    emails: distinct([isEmail ? identifier.toLowerCase() : null, ...contacts.map(({ email }) => email)]),
    phoneKeys: distinct([ownKey, ...contacts.map(({ phoneKey }) => phoneKey)]),
    cpfs: distinct([...contacts.map(({ cpf }) => cpf), ...(await cpfsOfLeads(scope, known))]),
  };
}

function findContacts({ tx, hostId }: HostScope, identifier: string): Promise<FoundContact[]> {
  const isIt = isUuid(identifier)
    ? sql`id = ${identifier}`
    : identifier.includes('@')
      ? sql`email_folded = lower(${identifier})`
      : sql`phone_key = phone_key(${identifier})`;
  return rowsOf<FoundContact>(tx)`
    select id, email_folded as email, phone_key as "phoneKey", regexp_replace(cpf, '[^0-9]', '', 'g') as cpf
    from contacts where host_id = ${hostId} and ${isIt} order by id`;
}

async function readPhoneKey({ tx }: HostScope, phone: string): Promise<string> {
  const [found] = await rowsOf<{ key: string | null }>(tx)`select phone_key(${phone}) as key`;
  if (!found?.key) throw new Error('Give the id, the e-mail or the phone of a contact.');
  return found.key;
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
