import { type Fragment, jsonOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

export interface ContactData {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  /** The phone in E.164, if known. */
  readonly phoneE164?: string | undefined;
  readonly cpf?: string | undefined;
  readonly externalId?: string | undefined;
}

/**
 * Finds and completes the contact of this data, or inserts it; returns its id. An e-mail identifies it, case-insensitively; a
 * phone, in any spelling, only if the contact or the data has no e-mail, because families share phones. Two valid CPFs are two
 * people, whatever they share. Returns undefined without an e-mail and a phone.
 */
export async function upsertContact(scope: HostScope, data: ContactData): Promise<string | undefined> {
  await lockContact(scope, data);
  const [contact] = await rowsOf<{ id: string }>(scope.tx)`
    with ${upsertContactSteps(scope, [data])} select id from contact`;
  return contact?.id;
}

/**
 * Serializes transactions that share the e-mail, the phone or the `other` name. The matching contact depends on contacts that
 * another transaction may insert or update, and the unique indexes would only fail the second. Must be called before any row is
 * locked, to prevent deadlocks.
 */
export async function lockContact(
  { tx, hostId }: HostScope,
  data: ContactData,
  other?: string,
): Promise<void> {
  const { email, phone } = normalizeContact(data);
  await rowsOf(tx)`
    select pg_advisory_xact_lock(key) from (
      select hashtextextended(${hostId} || name, 0) as key
      from (values (${email}::text, ${phone}::text, ${other ?? null}::text)) sent_contact (email, phone, other),
        ${identities}
      where name is not null order by key
    ) keys`;
}

const identities = sql`
  lateral (values (' email ' || lower(sent_contact.email)), (' phone ' || phone_key(sent_contact.phone)), (sent_contact.other))
    identity (name)`;

export interface ContactLock {
  /** False if another transaction has one of its locks. */
  readonly isHeld: boolean;
  /** Keys of its locks; contacts that share one may be the same contact. */
  readonly keys: readonly string[];
}

/**
 * Does what `lockContact` does for each, in order, but without waiting. From then on the transaction waits for locked rows only
 * for a limited time, and then a statement fails: work for many must not wait long for one.
 */
export async function tryLockContacts(
  { tx, hostId }: HostScope,
  contacts: readonly { readonly data: ContactData; readonly other: string }[],
  maxRowWaitMs: number,
): Promise<ContactLock[]> {
  const sent = contacts.map(({ data, other }, at) => ({ at, other, ...normalizeContact(data) }));
  return rowsOf<ContactLock>(tx)`
    select bool_and(pg_try_advisory_xact_lock(key)) as "isHeld", array_agg(key::text) as keys,
      set_config('lock_timeout', ${String(maxRowWaitMs)}, true)
    from (
      select at, hashtextextended(${hostId} || name, 0) as key
      from jsonb_to_recordset(${jsonOf(sent)}::jsonb) sent_contact (at integer, email text, phone text, other text),
        ${identities}
      where name is not null
    ) keys
    group by at order by at`;
}

type NormalizedContact = Omit<ContactData, 'email' | 'phone'> & {
  email: string | null;
  phone: string | null;
};

function normalizeContact(data: ContactData): NormalizedContact {
  const phone = data.phone && /[0-9]/.test(data.phone) ? data.phone : null;
  return { ...data, email: data.email?.trim() || null, phone };
}

/**
 * Does what `upsertContact` does for each, as steps of another statement, for callers that hold the locks. The step `contact`
 * is the matched contact with its current e-mail, for the data at the place `at`. If several match one contact, only the first
 * is used, and the others are in the step `later_match`. An unchanged contact is not written.
 */
export function upsertContactSteps({ hostId }: HostScope, contacts: readonly ContactData[]): Fragment {
  const sent = contacts.map((data, at) => {
    const { name, phoneE164, cpf, externalId, ...identity } = normalizeContact(data);
    const others = { phone_e164: phoneE164 || null, cpf: cpf || null, external_id: externalId || null };
    return { at, name: name || null, ...identity, ...others };
  });
  return sql`
    sent_contact as materialized (
      select *, cpf_key(cpf) as cpf_key from jsonb_to_recordset(${jsonOf(sent)}::jsonb) sent_contact
        (at integer, name text, email text, phone text, phone_e164 text, cpf text, external_id text)
    ), contact_match as materialized (
      select sent_contact.at, match.id, row_number() over (partition by match.id order by sent_contact.at) as place
      from sent_contact cross join lateral (
        -- Each half has its index; one condition with "or" has none.
        select id from (
          select id, 1 as precedence, cpf_key, created_at from contacts
          where host_id = ${hostId} and email_folded = lower(sent_contact.email)
          union all
          select id, case when email_folded is null then 2 else 3 end, cpf_key, created_at from contacts
          where host_id = ${hostId} and phone_key = phone_key(sent_contact.phone)
            and (email_folded is null or sent_contact.email is null)
        ) matches
        where (matches.cpf_key = sent_contact.cpf_key) is not false
        order by precedence, matches.cpf_key = sent_contact.cpf_key, created_at, id
        limit 1
      ) match
    ), later_match as (
      select at from contact_match where place > 1
    ), completion as materialized (
      select sent_contact.at, contacts.id, coalesce(sent_contact.name, contacts.name) as name,
        coalesce(sent_contact.email, contacts.email) as email, coalesce(sent_contact.phone, contacts.phone) as phone,
        case when sent_contact.phone is null or phone_key(sent_contact.phone) = contacts.phone_key
          then coalesce(sent_contact.phone_e164, contacts.phone_e164) else sent_contact.phone_e164 end as phone_e164,
        case when sent_contact.cpf_key is null and contacts.cpf_key is not null
          then contacts.cpf else coalesce(sent_contact.cpf, contacts.cpf) end as cpf,
        coalesce(sent_contact.external_id, contacts.external_id) as external_id
      from contact_match join sent_contact using (at)
      -- The limit keeps this a look-up of each, whatever the planner believes of a table that it has not analyzed.
      cross join lateral (select * from contacts where host_id = ${hostId} and id = contact_match.id limit 1) contacts
      where contact_match.place = 1
    ), updated_contact as (
      update contacts set (name, email, phone, phone_e164, cpf, external_id, updated_at) =
        (completion.name, completion.email, completion.phone, completion.phone_e164, completion.cpf,
          completion.external_id, now())
      from completion
      where contacts.host_id = ${hostId} and contacts.id = completion.id
        and (contacts.name, contacts.email, contacts.phone, contacts.phone_e164, contacts.cpf, contacts.external_id)
          is distinct from (completion.name, completion.email, completion.phone, completion.phone_e164, completion.cpf,
            completion.external_id)
    ), new_contact as materialized (
      select *, gen_random_uuid() as id from sent_contact
      where at not in (select at from contact_match) and (email is not null or phone is not null)
    ), inserted_contact as (
      insert into contacts (host_id, id, name, email, phone, phone_e164, cpf, external_id)
      select ${hostId}, id, coalesce(name, ''), email, phone, phone_e164, cpf, external_id from new_contact
    ), contact as (
      select at, id, email from completion union all select at, id, email from new_contact
    )`;
}
