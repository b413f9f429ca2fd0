import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

export interface ContactData {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  /** The phone in E.164, where known. */
  readonly phoneE164?: string | undefined;
  readonly cpf?: string | undefined;
  readonly externalId?: string | undefined;
}

/**
 * Finds and completes the contact of this data, or inserts it; returns its id. An e-mail identifies it,
 * case-insensitively; a phone, in any spelling, only where the contact or the data has no e-mail, because families
 * share phones. Undefined without either.
 */
export async function upsertContact(scope: HostScope, data: ContactData): Promise<string | undefined> {
  await lockContact(scope, data);
  const [contact] = await rowsOf<{ id: string }>(scope.tx)`
    with ${upsertContactSteps(scope, data)} select id from contact`;
  return contact?.id;
}

/**
 * Serializes transactions that share the e-mail, the phone or the `other` name: which contact the data matches
 * depends on contacts that another transaction may insert or update, and the unique indexes would only fail the
 * second. Call it before any row is locked, to prevent deadlocks.
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
      from (values (' email ' || lower(${email})), (' phone ' || phone_key(${phone})), (${other ?? null})) identity (name)
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
 * Like `upsertContact`, as steps of another statement, for callers that hold the lock. The step `contact` is the
 * matched contact with its current e-mail. An unchanged contact is not written.
 */
export function upsertContactSteps({ hostId }: HostScope, data: ContactData): Fragment {
  const { name, email, phone, phoneE164, cpf, externalId } = normalizeContact(data);
  return sql`
    sent (name, email, phone, phone_e164, cpf, external_id) as (
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
      select old.id, coalesce(sent.name, old.name) as name, coalesce(sent.email, old.email) as email,
        coalesce(sent.phone, old.phone) as phone,
        case when sent.phone is null or phone_key(sent.phone) = old.phone_key
          then coalesce(sent.phone_e164, old.phone_e164) else sent.phone_e164 end as phone_e164,
        coalesce(sent.cpf, old.cpf) as cpf, coalesce(sent.external_id, old.external_id) as external_id
      from sent, found join contacts old using (id) where old.host_id = ${hostId}
    ), updated as (
      update contacts old set (name, email, phone, phone_e164, cpf, external_id, updated_at) =
        (filled.name, filled.email, filled.phone, filled.phone_e164, filled.cpf, filled.external_id, now())
      from filled
      where old.host_id = ${hostId} and old.id = filled.id
        and (old.name, old.email, old.phone, old.phone_e164, old.cpf, old.external_id) is distinct from
            (filled.name, filled.email, filled.phone, filled.phone_e164, filled.cpf, filled.external_id)
    ), inserted as (
      insert into contacts (host_id, name, email, phone, phone_e164, cpf, external_id)
      select ${hostId}, coalesce(name, ''), email, phone, phone_e164, cpf, external_id from sent
      where not exists (select from found) and (email is not null or phone is not null)
      returning id, email
    ), contact as (
      select id, email from filled union all select id, email from inserted
    )`;
}
