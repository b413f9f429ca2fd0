import type { Db } from '../connection.ts';
import { type Fragment, returnsRow, rowsOf, sql } from '../rows-of.ts';
import type { Role } from './people.ts';

/** A token is for one host, for several (`domain`), or for all hosts, including future ones (`operator`). */
type TokenKind = 'host' | 'domain' | 'operator';

/** The form of API answers, except for the last three fields. */
export interface TokenHost {
  readonly host_id: string;
  readonly host_slug: string;
  readonly host_name: string;
  /** Its weight in the fair order over hosts. */
  readonly share: number;
  readonly disabled: boolean;
  readonly time_zone: string;
}

export interface Token {
  readonly id: string;
  readonly name: string;
  readonly kind: TokenKind;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** Whether the token has expired on the database's clock. */
  readonly expired: boolean;
  readonly revoked: boolean;
  /** Sorted by slug; an operator's token has every host. */
  readonly hosts: readonly TokenHost[];
  /** The role of a person whose session stands for a token. */
  readonly role?: Role;
}

export interface ListedToken extends Token {
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
}

export interface NewToken {
  readonly name: string;
  readonly hash: Buffer;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
  readonly hostIds: readonly string[] | 'all';
}

/** A row of `hosts` as a `TokenHost`. */
export const hostOfToken = sql`json_build_object('host_id', hosts.id, 'host_slug', hosts.slug, 'host_name', hosts.name,
  'share', hosts.share, 'disabled', hosts.disabled, 'time_zone', hosts.time_zone)`;

export const tokenColumns = sql`token.id, token.name, token.kind, token.scopes, token.expires_at as "expiresAt",
    token.revoked_at as "revokedAt", coalesce(token.expires_at <= now(), false) as expired,
    token.revoked_at is not null as revoked,
    coalesce((
      select json_agg(${hostOfToken} order by slug)
      from hosts
      where hosts.id = any (case when token.kind = 'operator' then array(select id from hosts)
        else array(select host_id from token_hosts where token_id = token.id) end)
    ), '[]') as hosts`;

/**
 * Writes `last_used_at` of the token of this condition at most once a minute, by one request: concurrent ones do not wait.
 */
export const noteUseOf = (condition: Fragment) => sql`
  update tokens set last_used_at = now()
  where id = (
    select id from tokens
    where ${condition} and revoked_at is null and coalesce(last_used_at < now() - interval '1 minute', true)
    for update skip locked
  )`;

/** Returns the token of this hash with its rights, in one query that also notes its use. */
export async function findToken(db: Db, hash: Buffer): Promise<Token | undefined> {
  const [token] = await rowsOf<Token>(db)`
    with used_token as (${noteUseOf(sql`hash = ${hash}`)})
    select ${tokenColumns} from tokens token where token.hash = ${hash}`;
  return token;
}

/** Derives the kind from the hosts. Returns the id. */
export async function insertToken(db: Db, token: NewToken): Promise<string> {
  const { name, hash, scopes, expiresAt, hostIds } = token;
  const [inserted] = await rowsOf<{ id: string }>(db)`
    with new_token as (
      insert into tokens (name, kind, hash, scopes, expires_at)
      values (${name}, ${kindOf(hostIds)}, ${hash}, ${scopes}, ${expiresAt})
      returning id
    ), token_host as (
      insert into token_hosts (token_id, host_id)
      select new_token.id, host.id from new_token, unnest(${hostIds === 'all' ? [] : hostIds}::uuid[]) as host (id)
    )
    select id from new_token`;
  if (!inserted) throw new Error('The token was not stored.');
  return inserted.id;
}

export async function listTokens(db: Db): Promise<ListedToken[]> {
  return rowsOf<ListedToken>(db)`
    select ${tokenColumns}, token.last_used_at as "lastUsedAt", token.created_at as "createdAt"
    from tokens token order by token.created_at, token.id`;
}

/** Returns false if there is no such token. A revoked token keeps its time of revocation. */
export async function revokeToken(db: Db, id: string): Promise<boolean> {
  return returnsRow(db)`
    update tokens set revoked_at = coalesce(revoked_at, now()) where id = ${id} returning id`;
}

/** Whether a command asks, or a token of an operator that is in force. */
export async function isOperator(
  db: Db,
  { tokenId, isCommand }: { readonly tokenId: string; readonly isCommand?: boolean },
): Promise<boolean> {
  if (isCommand) return true;
  return returnsRow(db)`
    select id from tokens
    where id = ${tokenId} and kind = 'operator' and revoked_at is null and coalesce(expires_at > now(), true)`;
}

function kindOf(hostIds: NewToken['hostIds']): TokenKind {
  if (hostIds === 'all') return 'operator';
  if (hostIds.length === 0) throw new Error('A token needs a host.');
  return hostIds.length === 1 ? 'host' : 'domain';
}
