import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import type { Person } from './person.ts';

/**
 * Whether the JSON names the person: by e-mail or CPF in any value; by phone only where it contains no e-mail, which
 * may be somebody else's.
 */
export function namesPerson(json: Fragment, { emails, cpfs, phoneKeys }: Person): Fragment {
  return sql`exists (
    select from jsonb_path_query(${json}, '$.**') node
    cross join lateral (select node #>> '{}' as value) scalar
    where jsonb_typeof(node) in ('string', 'number') and (
      exists (select from unnest(${emails}::text[]) email where strpos(lower(value), email) > 0)
      or exists (select from unnest(${cpfs}::text[]) cpf
        where strpos(regexp_replace(value, '[^0-9]', '', 'g'), cpf) > 0)
      or phone_key(value) = any (${phoneKeys}::text[]) and strpos(${json}::text, '@') = 0))`;
}

/** The raw bodies of these records, and those that became no record and name the person. */
export async function rawBodiesOf(
  { tx, hostId }: HostScope,
  person: Person,
  recordIds: readonly string[],
): Promise<string[]> {
  const bodies = await rowsOf<{ id: string }>(tx)`
    select id from intake_records raw
    where host_id = ${hostId} and (
      record_id = any (${recordIds}::uuid[])
      or not exists (
          select from leads where host_id = ${hostId} and id = record_id
          union all select from tickets where host_id = ${hostId} and id = record_id)
        and ${namesPerson(sql`body::jsonb`, person)})`;
  return bodies.map(({ id }) => id);
}
