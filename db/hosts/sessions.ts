import type { Db } from '../connection.ts';
import { type Fragment, returnsRow, rowOf, rowsOf, sql } from '../rows-of.ts';
import { setActor } from './actor.ts';
import { type Role, roleScopes, setPersonLink } from './people.ts';
import type { GeneratedToken } from './token-text.ts';
import { hostOfToken, noteUseOf, type Token, tokenColumns } from './tokens.ts';

export interface SessionOf {
  readonly hash: Buffer;
  /** The session ends this many days after its last use. */
  readonly days: number;
}

/** Returns the rights of an open session, and notes its use; undefined if there is none. Works for operators and all hosts. */
export async function findSession(db: Db, session: SessionOf): Promise<Token | undefined> {
  return (await findPersonSession(db, session)) ?? (await findTokenSession(db, session));
}

/**
 * Moves the end of a session at most once an hour, by one request, for which concurrent ones do not wait. An end that is too
 * late, after the setting was lowered, is moved, too.
 */
const moveEndOf = (table: Fragment, { hash, days }: SessionOf) => {
  const wanted = sql`now() + ${days} * interval '1 day'`;
  return sql`
    update ${table} set expires_at = ${wanted} where hash = (
      select hash from ${table}
      where hash = ${hash} and expires_at > now() and expires_at not between ${wanted} - interval '1 hour' and ${wanted}
      for no key update skip locked
    )`;
};

/** Notes the person as seen at most once a minute, by one request, for which concurrent ones do not wait. */
async function findPersonSession(db: Db, { hash, days }: SessionOf): Promise<Token | undefined> {
  const [found] = await rowsOf<Token & { readonly role: Role }>(db)`
    with session as (
      select host_id, person_id as id, started_at, expires_at from person_sessions
      where hash = ${hash} and expires_at > now()
    ), used_session as (${moveEndOf(sql`person_sessions`, { hash, days })}), seen_person as (
      update people set last_seen_at = now() where (host_id, id) = (
        select host_id, id from people join session using (host_id, id)
        where coalesce(last_seen_at < now() - interval '1 minute', true)
        for no key update of people skip locked
      )
    )
    select id, person.name, role, 'host' as kind, session.expires_at as "expiresAt", null as "revokedAt",
      false as expired, false as revoked,
      (select json_agg(${hostOfToken}) from hosts where hosts.id = host_id) as hosts
    from people person join session using (host_id, id)
    where not person.disabled and started_at > coalesce(sessions_ended_at, '-infinity')`;
  return found && { ...found, scopes: roleScopes[found.role] };
}

/** A request with a session counts as a use of its token. */
async function findTokenSession(db: Db, { hash, days }: SessionOf): Promise<Token | undefined> {
  const [token] = await rowsOf<Token>(db)`
    with session as (select token_id from token_sessions where hash = ${hash} and expires_at > now()),
      used_session as (${moveEndOf(sql`token_sessions`, { hash, days })}),
      used_token as (${noteUseOf(sql`id = (select token_id from session)`)})
    select ${tokenColumns} from session join tokens token on token.id = token_id`;
  return token;
}

/** Opens a session of the token, which ends with it; returns false if the token is unknown or not in force. */
export async function openTokenSession(
  db: Db,
  tokenHash: Buffer,
  { hash, days }: SessionOf,
): Promise<boolean> {
  await deleteEndedSessions(db);
  return returnsRow(db)`
    insert into token_sessions (hash, token_id, expires_at)
    select ${hash}, id, now() + ${days} * interval '1 day' from tokens
    where hash = ${tokenHash} and revoked_at is null and coalesce(expires_at > now(), true)
    returning hash`;
}

/** The person and the host of a link. */
export interface SignInLinkFace {
  readonly name: string;
  readonly hostName: string;
  readonly hostPicture: string;
}

const ACCOUNT_LINK_MINUTES = 2;
/** A person has few hosts, and the page offers them all. */
const MAX_LINKS = 20;

/**
 * Makes a link for each person with this e-mail address who may sign in; the one seen last comes first. Works for all hosts.
 * Only letters of ASCII are the same in either case: an address stored with the Kelvin sign is not the one with a k.
 */
export async function linkPeopleOf(db: Db, email: string, makeLink: () => GeneratedToken): Promise<string[]> {
  return db.transaction(async tx => {
    const people = await rowsOf<{ id: string; name: string; hostId: string }>(tx)`
      select person.id, person.name, host_id as "hostId" from people person join hosts on hosts.id = host_id
      where lower(email) = lower(${email}) and lower(email collate "C") = lower(${email} collate "C")
        and not person.disabled and not hosts.disabled
      order by last_seen_at desc nulls last, hosts.slug limit ${MAX_LINKS}
      for no key update of person`;
    const links: string[] = [];
    for (const { id, name, hostId } of people) {
      const { text, hash } = makeLink();
      await setActor(tx, { kind: 'token', tokenId: id, name, operation: 'console account' });
      await setPersonLink({ tx, hostId }, id, { hash, hours: ACCOUNT_LINK_MINUTES / 60 });
      links.push(text);
    }
    return links;
  });
}

/** Finds a link without using it up; undefined if it would not open a session. Works for operators and all hosts. */
export async function findSignInLink(db: Db, linkHash: Buffer): Promise<SignInLinkFace | undefined> {
  return rowOf<SignInLinkFace>(db)`
    select link_owner.name, hosts.name as "hostName", hosts.picture as "hostPicture"
    from (
      select name, host_id from people
      where link_hash = ${linkHash} and link_expires_at > now() and not disabled
      union all
      select name, host_id from sign_in_links link
      join tokens on tokens.id = link.token_id join token_hosts on token_hosts.token_id = link.token_id
      where link.hash = ${linkHash} and link.expires_at > now() and revoked_at is null
    ) link_owner join hosts on hosts.id = host_id
    where not hosts.disabled order by hosts.slug limit 1`;
}

/**
 * Uses up a link and opens a session of its person or token; returns false if the link is unknown, used or expired, or its host
 * disabled. If several calls come at the same time, one gets it, and the others find the link gone. A repeat that asks for the
 * session that the link has opened gets it again.
 */
export async function exchangeSignInLink(db: Db, linkHash: Buffer, session: SessionOf): Promise<boolean> {
  await deleteEndedSessions(db);
  return (
    (await exchangePersonLink(db, linkHash, session)) ||
    (await exchangeTokenLink(db, linkHash, session)) ||
    isOpen(db, session.hash)
  );
}

async function isOpen(db: Db, hash: Buffer): Promise<boolean> {
  return returnsRow(db)`
    select from (select hash, expires_at from person_sessions union all select hash, expires_at from token_sessions) session
    where hash = ${hash} and expires_at > now()`;
}

async function exchangePersonLink(db: Db, linkHash: Buffer, { hash, days }: SessionOf): Promise<boolean> {
  return db.transaction(async tx => {
    const [person] = await rowsOf<{ id: string; name: string; hostId: string }>(tx)`
      select person.id, person.name, host_id as "hostId" from people person join hosts on hosts.id = host_id
      where link_hash = ${linkHash} and link_expires_at > now() and not person.disabled and not hosts.disabled
      for no key update of person`;
    if (!person) return false;
    await setActor(tx, {
      kind: 'token',
      tokenId: person.id,
      name: person.name,
      operation: 'console sign-in',
    });
    await rowsOf(tx)`
      update people set link_hash = null, link_expires_at = null
      where host_id = ${person.hostId} and id = ${person.id}`;
    await rowsOf(tx)`
      insert into person_sessions (host_id, hash, person_id, expires_at)
      values (${person.hostId}, ${hash}, ${person.id}, now() + ${days} * interval '1 day')`;
    return true;
  });
}

/** A link's token can only be used by such a session, because nobody knows its text. */
async function exchangeTokenLink(db: Db, linkHash: Buffer, { hash, days }: SessionOf): Promise<boolean> {
  return returnsRow(db)`
    with used_link as (
      delete from sign_in_links link where hash = ${linkHash} and expires_at > now() and not exists (
        select from token_hosts join hosts on hosts.id = host_id
        where token_hosts.token_id = link.token_id and disabled)
      returning token_id
    )
    insert into token_sessions (hash, token_id, expires_at)
    select ${hash}, id, now() + ${days} * interval '1 day'
    from used_link join tokens on tokens.id = used_link.token_id
    where revoked_at is null and coalesce(tokens.expires_at > now(), true)
    returning hash`;
}

export async function endSession(db: Db, hash: Buffer): Promise<void> {
  await rowsOf(db)`
    with ended_token_session as (delete from token_sessions where hash = ${hash})
    delete from person_sessions where hash = ${hash}`;
}

async function deleteEndedSessions(db: Db): Promise<void> {
  await rowsOf(db)`
    with ended_token_session as (delete from token_sessions where expires_at <= now())
    delete from person_sessions where expires_at <= now()`;
}

/*
 * Links to the console. A link has a token from the beginning, so that it is listed, audited and can be revoked, but nobody
 * knows the text of that token: the exchange opens a session of it (sessions.ts).
 *
 *   made --exchanged once--> its token has a session    made --not in time--> deleted with its token
 */

interface NewSignInLink {
  readonly hash: Buffer;
  readonly tokenId: string;
  readonly minutes: number;
}

/** Works for all hosts, for operators. Deletes links that were not used in time, with their tokens. */
export async function insertSignInLink(db: Db, { hash, tokenId, minutes }: NewSignInLink): Promise<void> {
  await rowsOf(db)`
    delete from tokens where id in (select token_id from sign_in_links where expires_at <= now())`;
  await rowsOf(db)`
    insert into sign_in_links (hash, token_id, expires_at)
    values (${hash}, ${tokenId}, now() + ${minutes} * interval '1 minute')`;
}
