import type { DataOf } from '../../queues/contract/operations/index.ts';
import { renameAttendant } from '../conversations/conversations.ts';
import { returnsRow, rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** The rights of each role, as scopes of a token of the host. */
export const roleScopes = {
  agent: ['reason', 'search'],
  manager: ['reason', 'search', 'manage', 'report', 'intake'],
  admin: ['reason', 'search', 'manage', 'report', 'intake', 'admin'],
} as const;
export type Role = keyof typeof roleScopes;

/** Hours for which a person's link signs in. */
export const LINK_HOURS = 72;

export interface PersonSettings {
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly disabled: boolean;
}

type StaffPerson = DataOf<'savePerson'>;

const columns = sql`id as "personId", host_id as "hostId", name, email, role, disabled,
    case when link_expires_at > now() then link_expires_at at time zone 'UTC' end as "invitedUntil",
    last_seen_at at time zone 'UTC' as "lastSeenAt", created_at at time zone 'UTC' as "createdAt"`;

/** Until the transaction ends nobody else adds or changes a person, so that their number and the last admin are exact. */
export async function lockPeople({ tx, hostId }: HostScope): Promise<void> {
  await rowsOf(tx)`select pg_advisory_xact_lock(hashtext('parley people'), hashtext(${hostId}))`;
}

export async function listPeople({ tx, hostId }: HostScope): Promise<StaffPerson[]> {
  return rowsOf<StaffPerson>(tx)`
    select ${columns} from people where host_id = ${hostId} order by lower(name), id`;
}

/** Lists the people who may sign in. The last use is stored at most once a minute, and a hidden page asks hardly more often. */
export async function listColleagues({ tx, hostId }: HostScope): Promise<DataOf<'listColleagues'>> {
  return rowsOf<DataOf<'listColleagues'>[number]>(tx)`
    select id as "personId", name, email, coalesce(last_seen_at > now() - interval '3 minutes', false) as present
    from people where host_id = ${hostId} and not disabled order by lower(name), id`;
}

export async function findPerson({ tx, hostId }: HostScope, id: string): Promise<StaffPerson | undefined> {
  return rowOf<StaffPerson>(tx)`
    select ${columns} from people where host_id = ${hostId} and id = ${id}`;
}

/** Whether the host has all of these people, also if they are disabled. */
export async function hasPeople({ tx, hostId }: HostScope, ids: readonly string[]): Promise<boolean> {
  const unknown = await rowsOf(tx)`
    select from unnest(${ids}::uuid[]) wanted (id)
    where not exists (select from people where host_id = ${hostId} and people.id = wanted.id)`;
  return unknown.length === 0;
}

/** Whether somebody else has the e-mail address, in any case. */
export async function isEmailTaken(
  { tx, hostId }: HostScope,
  email: string,
  exceptId: string,
): Promise<boolean> {
  return returnsRow(tx)`
    select from people where host_id = ${hostId} and lower(email) = lower(${email}) and id <> ${exceptId}`;
}

/** Inserts a person, or replaces the settings; a disabled person loses the sessions and the link. */
export async function upsertPerson(
  scope: HostScope,
  { id, name, email, role, disabled }: PersonSettings & { readonly id: string },
): Promise<StaffPerson> {
  const { tx, hostId } = scope;
  const [stored] = await rowsOf<StaffPerson & { earlierName: string | null }>(tx)`
    insert into people as person (host_id, id, name, email, role, disabled)
    values (${hostId}, ${id}, ${name}, ${email}, ${role}, ${disabled})
    on conflict (host_id, id) do update
    set name = excluded.name, email = excluded.email, role = excluded.role, disabled = excluded.disabled,
      sessions_ended_at = case when excluded.disabled then clock_timestamp() else person.sessions_ended_at end,
      link_hash = case when not excluded.disabled then person.link_hash end,
      link_expires_at = case when not excluded.disabled then person.link_expires_at end, updated_at = now()
    returning ${columns}, (select name from people where host_id = ${hostId} and id = ${id}) as "earlierName"`;
  if (!stored) throw new Error('The person was not stored.');
  const { earlierName, ...saved } = stored;
  if (earlierName !== null && earlierName !== name) await renameAttendant(scope, id);
  return saved;
}

/** Replaces an earlier link. Returns the new link's end. */
export async function setPersonLink(
  { tx, hostId }: HostScope,
  personId: string,
  { hash, hours }: { readonly hash: Buffer; readonly hours: number },
): Promise<string> {
  const [linked] = await rowsOf<{ expiresAt: string }>(tx)`
    update people set link_hash = ${hash}, link_expires_at = now() + ${hours} * interval '1 hour'
    where host_id = ${hostId} and id = ${personId} 
    returning link_expires_at at time zone 'UTC' as "expiresAt"`;
  if (!linked) throw new Error('There is no such person.');
  return linked.expiresAt;
}

/** Also ends an unused link. */
export async function endPersonSessions({ tx, hostId }: HostScope, personId: string): Promise<void> {
  await rowsOf(tx)`
    update people set sessions_ended_at = clock_timestamp(), link_hash = null, link_expires_at = null
    where host_id = ${hostId} and id = ${personId}`;
}
