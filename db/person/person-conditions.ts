import { type Fragment, sql } from '../rows-of.ts';
import type { Person } from './person.ts';
import { exactKey, isForeign, isUnclearPhone, keysWithoutPlus, unclearDigitsOf } from './phone-matches.ts';

/*
 * Regular expressions of PostgreSQL for texts in lower case, which find an e-mail or a CPF as a whole: "ana@x.com" is
 * not in "mariana@x.com" nor in "ana@x.com.br", and eleven digits are not in a longer number.
 */

/** An escape of JSON, whose last character would otherwise count as part of what follows it. */
const jsonEscape = String.raw`\\[bfnrt]|\\u[0-9a-f]{4}`;

/** Any e-mail with a domain, as opposed to "@name". */
const anyEmail = String.raw`[[:alnum:]._%+-]+@(?:[[:alnum:]-]+\.)+[[:alpha:]][[:alnum:]-]+`;

const marks = './–—-';
const spaces = String.raw`[:space:]\u00a0\u202f`;

/** Selects every string, number and key in the JSON. */
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
 * Whether the JSON names the person: by e-mail or CPF in any value; by phone only if it contains no other e-mail, which may be
 * somebody else's.
 */
export function namesPerson(json: Fragment, person: Person): Fragment {
  return sql`(${containsIdentifier(json, person)}
    or ${containsPhone(json, person)} and not ${containsOtherEmail(json, person)})`;
}

/** Whether it has the person's phone but is left, because it names another e-mail, or the phone may be another's. */
export function namesOtherPerson(json: Fragment, person: Person): Fragment {
  const digits = unclearDigitsOf(person.phoneKeys);
  const mayHavePhone = sql`exists (select from ${textsOf(json)} where ${isUnclearPhone(sql`value`, digits)})`;
  return sql`((${containsPhone(json, person)} or ${mayHavePhone}) and not ${namesPerson(json, person)})`;
}

/**
 * Whether the end user said who they are: an identifier of the person, or a phone, stands as a whole in one of their messages
 * or among the values that were masked in them.
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

function wholeEmail(email: string): string {
  const literal = email.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return String.raw`(?:^|[^[:alnum:]._%+-]|${jsonEscape})${literal}(?:$|[^[:alnum:].-]|\.(?:$|[^[:alnum:]]))`;
}

/**
 * Matches a CPF with or without separators. Other numbers may stand beside it only if these are not spaces. Empty for a value
 * that is not a CPF: "12" is in many texts.
 */
function wholeCpfs(cpf: string): string[] {
  if (!/^[0-9]{11}$/.test(cpf)) return [];
  return [marks, spaces + marks].map(separators => {
    const between = `[${separators}]{0,3}`;
    const digits = [cpf.slice(0, 3), cpf.slice(3, 6), cpf.slice(6, 9), cpf.slice(9)].join(between);
    return `(?:^|[^0-9${separators}]|${jsonEscape})[${separators}]*${digits}[${separators}]*(?:$|[^0-9${separators}])`;
  });
}

/**
 * Matches a phone within a text, by its key: a Brazilian one with or without its code, a zero, and the ninth digit; a foreign
 * one with its plus, or without if it cannot be Brazilian. As for a CPF, other numbers may stand beside it only if its
 * separators are not spaces.
 */
function wholePhones(phoneKey: string): string[] {
  const [, area, rest] = /^([1-9][0-9])9([6-9][0-9]{7})$/.exec(phoneKey) ?? [];
  return [marks, spaces + marks].map(separators => {
    const any = `[()${separators}]`;
    const spell = (digits: string) => digits.split('').join(`${any}{0,3}`);
    const own =
      area && rest
        ? `${spell(area)}${any}{0,3}(?:9${any}{0,3})?${spell(rest)}`
        : spell(phoneKey.replace('+', ''));
    const plus = keysWithoutPlus([phoneKey]).length > 0 ? '(?:[+]|00)?' : '(?:[+]|00)';
    const code = isForeign(phoneKey) ? plus : `(?:(?:[+]|00)?55${any}{0,3})?(?:0${any}{0,3})?`;
    return `(?:^|[^0-9+()${separators}]|${jsonEscape})${any}*${code}${any}*${own}${any}*(?:$|[^0-9()${separators}])`;
  });
}

/** Selects texts that end with the phone's last digits: `phone_key` takes milliseconds for a long text, this does not. */
function phoneEnding(phoneKey: string): string {
  return `${phoneKey.slice(-4).split('').join('[^0-9]*')}[^0-9]*$`;
}
