import { rowsOf } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

export interface ContactData {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly cpf?: string | undefined;
  readonly externalId?: string | undefined;
}

/**
 * The contact whom this data is about, made or filled in; gives its id. An e-mail tells who it is, in any case of
 * letters; a phone only where the contact or the data has no e-mail, for families share phones. Undefined where
 * neither is given.
 */
export async function upsertContact(scope: HostScope, data: ContactData): Promise<string | undefined> {
  const email = data.email?.trim() || null;
  const phone = data.phone && /[0-9]/.test(data.phone) ? data.phone : null;
  if (!email && !phone) return undefined;
  const known = { ...data, email, phone };
  // The second look finds what another turn inserted between the first look and our insert.
  return (
    (await updateContact(scope, known)) ?? (await insertContact(scope, known)) ?? updateContact(scope, known)
  );
}

type KnownContact = Omit<ContactData, 'email' | 'phone'> & { email: string | null; phone: string | null };

/** Fills in what is new; a contact that would not change is not written. */
async function updateContact({ tx, hostId }: HostScope, data: KnownContact): Promise<string | undefined> {
  const { name, email, phone, cpf, externalId } = data;
  const [contact] = await rowsOf<{ id: string }>(tx)`
    with found as (
      select id from contacts
      where host_id = ${hostId} and (
        email_folded = lower(${email})
        or (phone_key = phone_key(${phone})
          and (email_folded is null or ${email}::text is null))
      )
      order by email_folded = lower(${email}) desc nulls last, email_folded is null desc, created_at, id
      limit 1
    ), given as (
      select coalesce(${name || null}, old.name) as name, coalesce(${email}, old.email) as email,
        coalesce(${phone}, old.phone) as phone, coalesce(${cpf || null}, old.cpf) as cpf,
        coalesce(${externalId || null}, old.external_id) as external_id
      from contacts old join found using (id) where old.host_id = ${hostId}
    ), updated as (
      update contacts old set (name, email, phone, cpf, external_id, updated_at) =
        (given.name, given.email, given.phone, given.cpf, given.external_id, now())
      from found, given
      where old.host_id = ${hostId} and old.id = found.id
        and (old.name, old.email, old.phone, old.cpf, old.external_id) is distinct from
            (given.name, given.email, given.phone, given.cpf, given.external_id)
    )
    select id from found`;
  return contact?.id;
}

async function insertContact({ tx, hostId }: HostScope, data: KnownContact): Promise<string | undefined> {
  const { name, email, phone, cpf, externalId } = data;
  const [contact] = await rowsOf<{ id: string }>(tx)`
    insert into contacts (host_id, name, email, phone, cpf, external_id)
    values (${hostId}, ${name ?? ''}, ${email}, ${phone}, ${cpf || null}, ${externalId || null})
    on conflict do nothing
    returning id`;
  return contact?.id;
}
