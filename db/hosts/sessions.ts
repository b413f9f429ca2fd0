import type { Db } from '../connection.ts';
import { rowsOf, sql } from '../rows-of.ts';
import { setActor } from './actor.ts';
import { type Role, roleScopes } from './people.ts';
import { hostOfToken, noteUseOf, type Token, tokenColumns } from './tokens.ts';

/*
 * Sessions of the console. A session is that of a person, or of a token; what it may do is looked up at each request, so that it
 * changes and ends at once with the role, with the person and with the token.
 *
 *   link or token --exchanged--> open --time, sign-out, person disabled or sent out, token revoked--> over
 */

export interface NewSession {
  readonly hash: Buffer;
  readonly hours: number;
}

interface OpenedSession {
  /** Until its end. */
  readonly seconds: number;
}

/** The rights of an open session; undefined where there is none. Works for operators and all hosts. */
export async function findSession(db: Db, hash: Buffer): Promise<Token | undefined> {
  return (await findPersonSession(db, hash)) ?? (await findTokenSession(db, hash));
}

/** The person is noted as seen at most once a minute, by one request: concurrent ones do not wait. */
async function findPersonSession(db: Db, hash: Buffer): Promise<Token | undefined> {
  const [found] = await rowsOf<Token & { readonly role: Role }>(db)`
    with session as (
      select host_id, person_id as id, started_at, expires_at from person_sessions
      where hash = ${hash} and expires_at > now()
    ), seen_person as (
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

/** A request with a session uses its token. */
async function findTokenSession(db: Db, hash: Buffer): Promise<Token | undefined> {
  const [token] = await rowsOf<Token>(db)`
    with session as (select token_id from token_sessions where hash = ${hash} and expires_at > now()),
      used_token as (${noteUseOf(sql`id = (select token_id from session)`)})
    select ${tokenColumns} from session join tokens token on token.id = token_id`;
  return token;
}

/** Opens a session of the token, which ends with it. Returns the seconds until its end; undefined where the token is unknown or not in force. */
export async function openTokenSession(
  db: Db,
  tokenHash: Buffer,
  session: NewSession,
): Promise<number | undefined> {
  await deleteEndedSessions(db);
  const [opened] = await rowsOf<OpenedSession>(db)`
    insert into token_sessions (hash, token_id, expires_at)
    select ${session.hash}, id, least(expires_at, now() + ${session.hours} * interval '1 hour') from tokens
    where hash = ${tokenHash} and revoked_at is null and coalesce(expires_at > now(), true)
    returning extract(epoch from expires_at - now())::integer as seconds`;
  return opened?.seconds;
}

/** For whom a link was made, and of which host. */
export interface SignInLinkFace {
  readonly name: string;
  readonly hostName: string;
  readonly hostPicture: string;
}

/** Uses nothing up; undefined if the link would not open a session. Works for operators and all hosts. */
export async function findSignInLink(db: Db, linkHash: Buffer): Promise<SignInLinkFace | undefined> {
  const [face] = await rowsOf<SignInLinkFace>(db)`
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
  return face;
}

/**
 * Uses up a link and opens a session of its person or token. Returns the seconds until its end; undefined if the link is unknown, used or expired, or its host disabled.
 * Where several calls come at the same time, one gets it: the others find the link gone. Who asks for the session that it has opened gets it again.
 */
export async function exchangeSignInLink(
  db: Db,
  linkHash: Buffer,
  session: NewSession,
): Promise<number | undefined> {
  await deleteEndedSessions(db);
  return (
    (await exchangePersonLink(db, linkHash, session)) ??
    (await exchangeTokenLink(db, linkHash, session)) ??
    findSecondsLeft(db, session.hash)
  );
}

async function findSecondsLeft(db: Db, hash: Buffer): Promise<number | undefined> {
  const [opened] = await rowsOf<OpenedSession>(db)`
    select extract(epoch from expires_at - now())::integer as seconds
    from (select hash, expires_at from person_sessions union all select hash, expires_at from token_sessions) session
    where hash = ${hash} and expires_at > now()`;
  return opened?.seconds;
}

async function exchangePersonLink(
  db: Db,
  linkHash: Buffer,
  { hash, hours }: NewSession,
): Promise<number | undefined> {
  return db.transaction(async tx => {
    const [person] = await rowsOf<{ id: string; name: string; hostId: string }>(tx)`
      select person.id, person.name, host_id as "hostId" from people person join hosts on hosts.id = host_id
      where link_hash = ${linkHash} and link_expires_at > now() and not person.disabled and not hosts.disabled
      for no key update of person`;
    if (!person) return undefined;
    await setActor(tx, {
      kind: 'token',
      tokenId: person.id,
      name: person.name,
      operation: 'console sign-in',
    });
    await rowsOf(tx)`
      update people set link_hash = null, link_expires_at = null
      where host_id = ${person.hostId} and id = ${person.id}`;
    const [opened] = await rowsOf<OpenedSession>(tx)`
      insert into person_sessions (host_id, hash, person_id, expires_at)
      values (${person.hostId}, ${hash}, ${person.id}, now() + ${hours} * interval '1 hour')
      returning extract(epoch from expires_at - now())::integer as seconds`;
    return opened?.seconds;
  });
}

/** Nobody knows the text of the token of a link. */
async function exchangeTokenLink(
  db: Db,
  linkHash: Buffer,
  { hash, hours }: NewSession,
): Promise<number | undefined> {
  const [opened] = await rowsOf<OpenedSession>(db)`
    with used_link as (
      delete from sign_in_links link where hash = ${linkHash} and expires_at > now() and not exists (
        select from token_hosts join hosts on hosts.id = host_id
        where token_hosts.token_id = link.token_id and disabled)
      returning token_id
    )
    insert into token_sessions (hash, token_id, expires_at)
    select ${hash}, id, least(tokens.expires_at, now() + ${hours} * interval '1 hour')
    from used_link join tokens on tokens.id = used_link.token_id
    where revoked_at is null and coalesce(tokens.expires_at > now(), true)
    returning extract(epoch from token_sessions.expires_at - now())::integer as seconds`;
  return opened?.seconds;
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
