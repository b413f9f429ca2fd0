import { rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import type { Person } from './person.ts';

/**
 * The raw bodies from which these records were made, and those that became no record and name the person: by e-mail or
 * CPF anywhere in a value, by phone only where no e-mail says that it is somebody else's.
 */
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
        and exists (
          select from jsonb_path_query(body::jsonb, '$.**') node
          cross join lateral (select node #>> '{}' as value) scalar
          where jsonb_typeof(node) in ('string', 'number') and (
            exists (select from unnest(${person.emails}::text[]) email where strpos(lower(value), email) > 0)
            or exists (select from unnest(${person.cpfs}::text[]) cpf
              where strpos(regexp_replace(value, '[^0-9]', '', 'g'), cpf) > 0)
            or phone_key(value) = any (${person.phoneKeys}::text[]) and strpos(body::text, '@') = 0)))`;
  return bodies.map(({ id }) => id);
}

/** The words that the index has, or may have had, from these records. */
export async function wordsSaidOf(
  { tx, hostId }: HostScope,
  recordIds: readonly string[],
): Promise<string[]> {
  const words = await rowsOf<{ word: string }>(tx)`
    with said (value) as (
      select original from search_records where host_id = ${hostId} and origin_id = any (${recordIds}::uuid[])
      union all select original from conversations_to_search
        where host_id = ${hostId} and origin_id = any (${recordIds}::uuid[])
      union all select original from leads_to_search
        where host_id = ${hostId} and origin_id = any (${recordIds}::uuid[])
      union all select original from tickets_to_search
        where host_id = ${hostId} and origin_id = any (${recordIds}::uuid[])
      union all select content from messages
        where host_id = ${hostId} and conversation_id = any (${recordIds}::uuid[])
    )
    select distinct word from said, unnest(tsvector_to_array(search_vector(search_text(value)))) word`;
  return words.map(({ word }) => word);
}
