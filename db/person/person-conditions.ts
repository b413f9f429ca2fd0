import { type Fragment, sql } from '../rows-of.ts';
import type { Person } from './person.ts';
import { anyEmail, phoneEnding, wholeCpfs, wholeEmail } from './whole-matches.ts';

/** Every string, number and key in the JSON. */
const textsOf = (json: Fragment): Fragment => sql`
  jsonb_path_query(${json}, '$.**') node
  cross join lateral (
    select node #>> '{}' as value where jsonb_typeof(node) in ('string', 'number')
    union all
    select jsonb_object_keys(case jsonb_typeof(node) when 'object' then node else '{}' end)) text`;

/** Whether the JSON contains an e-mail or a CPF of the person. */
export function containsIdentifier(json: Fragment, { emails, cpfs }: Person): Fragment {
  const patterns = [...emails.map(wholeEmail), ...cpfs.flatMap(wholeCpfs)];
  return sql`exists (select from ${textsOf(json)} where lower(value) ~ any (${patterns}::text[]))`;
}

function containsPhone(json: Fragment, { phoneKeys }: Person): Fragment {
  return sql`exists (
    select from ${textsOf(json)}
    where case when value ~ any (${phoneKeys.map(phoneEnding)}::text[])
      then phone_key(value) = any (${phoneKeys}::text[]) end)`;
}

function containsOtherEmail(json: Fragment, { emails }: Person): Fragment {
  return sql`exists (
    select from ${textsOf(json)} cross join regexp_matches(lower(value), ${anyEmail}, 'g') found
    where found[1] <> all (${emails}::text[]))`;
}

/**
 * Whether the JSON names the person: by e-mail or CPF in any value; by phone only where it contains no other e-mail,
 * which may be somebody else's.
 */
export function namesPerson(json: Fragment, person: Person): Fragment {
  return sql`(${containsIdentifier(json, person)}
    or ${containsPhone(json, person)} and not ${containsOtherEmail(json, person)})`;
}

/** Whether it has the person's phone and stays, because it names another e-mail. */
export function namesOtherPerson(json: Fragment, person: Person): Fragment {
  return sql`(${containsPhone(json, person)} and not ${namesPerson(json, person)})`;
}

export const conversationText = sql`jsonb_build_array(global_data, user_data)`;
