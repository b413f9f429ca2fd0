import { type Fragment, rowsOf, sql } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

export interface ContactData {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  /** The same phone as it is dialled from anywhere, where that is known. */
  readonly phoneE164?: string | undefined;
  readonly cpf?: string | undefined;
  readonly externalId?: string | undefined;
}

/**
 * The contact whom this data is about, made or filled in; gives its id. An e-mail tells who it is, in any case of
 * letters; a phone, in any spelling, only where the contact or the data has no e-mail, for families share phones.
 * Undefined where neither is given.
 */
export async function upsertContact(scope: HostScope, data: ContactData): Promise<string | undefined> {
  await lockContact(scope, data);
  const [contact] = await rowsOf<{ id: string }>(scope.tx)`
    with ${upsertContactSteps(scope, data)} select id from contact`;
  return contact?.id;
}

/**
 * Whom data is about depends on contacts that another transaction is about to make or to give an e-mail. So those that
 * share the e-mail, the phone or the `other` name go one after the other, to their ends; the unique indexes would only
 * refuse what came second. Comes before any row is locked, or two could wait for each other.
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
      from (values (' email ' || lower(${email})), (' phone ' || phone_key(${phone})), (${other ?? null})) given (name)
      where name is not null order by key
    ) keys`;
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
 * As `upsertContact`, for who holds the contact, within another statement: `contact` is the one that this data is about,
 * with the e-mail under which it is known by now. One that would not change is not written.
 */
export function upsertContactSteps({ hostId }: HostScope, data: ContactData): Fragment {
  const { name, email, phone, phoneE164, cpf, externalId } = normalizeContact(data);
  return sql`
    given (name, email, phone, phone_e164, cpf, external_id) as (
      values (${name || null}, ${email}, ${phone}, ${phoneE164 || null}, ${cpf || null}, ${externalId || null})
    ), found as (
      -- Each half has its index; one condition with "or" has none.
      select id from (
        select id, 1 as precedence, created_at from contacts
        where host_id = ${hostId} and email_folded = lower(${email})
        union all
        select id, case when email_folded is null then 2 else 3 end, created_at from contacts
        where host_id = ${hostId} and phone_key = phone_key(${phone})
          and (email_folded is null or ${email}::text is null)
      ) matches
      order by precedence, created_at, id
      limit 1
    ), filled as (
      select old.id, coalesce(given.name, old.name) as name, coalesce(given.email, old.email) as email,
        coalesce(given.phone, old.phone) as phone,
        case when given.phone is null or phone_key(given.phone) = old.phone_key
          then coalesce(given.phone_e164, old.phone_e164) else given.phone_e164 end as phone_e164,
        coalesce(given.cpf, old.cpf) as cpf, coalesce(given.external_id, old.external_id) as external_id
      from given, found join contacts old using (id) where old.host_id = ${hostId}
    ), updated as (
      update contacts old set (name, email, phone, phone_e164, cpf, external_id, updated_at) =
        (filled.name, filled.email, filled.phone, filled.phone_e164, filled.cpf, filled.external_id, now())
      from filled
      where old.host_id = ${hostId} and old.id = filled.id
        and (old.name, old.email, old.phone, old.phone_e164, old.cpf, old.external_id) is distinct from
            (filled.name, filled.email, filled.phone, filled.phone_e164, filled.cpf, filled.external_id)
    ), inserted as (
      insert into contacts (host_id, name, email, phone, phone_e164, cpf, external_id)
      select ${hostId}, coalesce(name, ''), email, phone, phone_e164, cpf, external_id from given
      where not exists (select from found) and (email is not null or phone is not null)
      returning id, email
    ), contact as (
      select id, email from filled union all select id, email from inserted
    )`;
}
