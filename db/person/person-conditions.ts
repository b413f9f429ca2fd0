import { type Fragment, sql } from '../rows-of.ts';
import type { Person } from './person.ts';
import { exactKey, isUnclearPhone, keysWithoutPlus, unclearDigitsOf } from './phone-matches.ts';
import { anyEmail, phoneEnding, wholeCpfs, wholeEmail, wholePhones } from './whole-matches.ts';

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
      then ${exactKey(sql`value`)} = any (${phoneKeys}::text[])
        or ${exactKey(sql`'+' || value`)} = any (${keysWithoutPlus(phoneKeys)}::text[]) end)`;
}

function containsOtherEmail(json: Fragment, { emails }: Person): Fragment {
  return sql`exists (
    select from ${textsOf(json)} cross join regexp_matches(lower(value), ${anyEmail}, 'g') other_email
    where other_email[1] <> all (${emails}::text[]))`;
}

/**
 * Whether the JSON names the person: by e-mail or CPF in any value; by phone only where it contains no other e-mail,
 * which may be somebody else's.
 */
export function namesPerson(json: Fragment, person: Person): Fragment {
  return sql`(${containsIdentifier(json, person)}
    or ${containsPhone(json, person)} and not ${containsOtherEmail(json, person)})`;
}

/** Whether it has the person's phone and stays, because it names another e-mail, or the phone may be another one. */
export function namesOtherPerson(json: Fragment, person: Person): Fragment {
  const digits = unclearDigitsOf(person.phoneKeys);
  const mayHavePhone = sql`exists (select from ${textsOf(json)} where ${isUnclearPhone(sql`value`, digits)})`;
  return sql`((${containsPhone(json, person)} or ${mayHavePhone}) and not ${namesPerson(json, person)})`;
}

/**
 * Whether the end user wrote who they are: an identifier of the person, also a phone, stands as a whole in a message of
 * theirs or among the values that were masked in them.
 */
export function wordsNamePerson(
  hostId: string,
  { emails, cpfs, phoneKeys }: Pick<Person, 'emails' | 'cpfs' | 'phoneKeys'>,
): Fragment {
  const patterns = [...emails.map(wholeEmail), ...cpfs.flatMap(wholeCpfs), ...phoneKeys.flatMap(wholePhones)];
  return sql`(id in (
      select conversation_id from messages
      where host_id = ${hostId} and author = 'user' and lower(content) ~ any (${patterns}::text[]))
    or exists (select from ${textsOf(sql`masked_values`)} where lower(value) ~ any (${patterns}::text[])))`;
}

/** Whether the conversation names another e-mail, in its data or in the words of the end user. */
export function namesOtherEmail(person: Person): Fragment {
  const words = sql`(select jsonb_agg(content) from messages
    where messages.host_id = conversations.host_id and conversation_id = conversations.id and author = 'user')`;
  return containsOtherEmail(sql`jsonb_build_array(global_data, user_data, masked_values, ${words})`, person);
}

export const conversationText = sql`jsonb_build_array(global_data, user_data)`;
