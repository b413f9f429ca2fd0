import type { Db } from '../connection.ts';
import { rowsOf } from '../rows-of.ts';

/*
 * Links to the console. A link has a token from the beginning, so that it is listed, audited and can be revoked, but nobody
 * knows the text of that token: the exchange gives it one.
 *
 *   made --exchanged once--> its token is in use        made --not in time--> deleted with its token
 */

export interface NewSignInLink {
  readonly hash: Buffer;
  readonly tokenId: string;
  readonly minutes: number;
}

/** For operators: works for all hosts. Deletes links that were not used in time, with their tokens. */
export async function insertSignInLink(db: Db, { hash, tokenId, minutes }: NewSignInLink): Promise<void> {
  await rowsOf(db)`
    delete from tokens where id in (select token_id from sign_in_links where expires_at <= now())`;
  await rowsOf(db)`
    insert into sign_in_links (hash, token_id, expires_at)
    values (${hash}, ${tokenId}, now() + ${minutes} * interval '1 minute')`;
}

export interface SignedIn {
  readonly hostSlug: string;
  /** Of the token. */
  readonly name: string;
}

/**
 * Uses up a link and gives its token the hash of a new text. Undefined if the link is unknown, used or expired, its
 * token revoked, or its host disabled: then the link stays. Of several calls at the same time, one gets it: the others find the row deleted.
 */
export async function exchangeSignInLink(
  db: Db,
  linkHash: Buffer,
  tokenHash: Buffer,
): Promise<SignedIn | undefined> {
  const [signedIn] = await rowsOf<SignedIn>(db)`
    with used as (
      delete from sign_in_links link where hash = ${linkHash} and expires_at > now() and not exists (
        select from token_hosts join hosts on hosts.id = host_id
        where token_hosts.token_id = link.token_id and disabled)
      returning token_id
    ), exchanged as (
      update tokens set hash = ${tokenHash}
      from used
      where tokens.id = used.token_id and revoked_at is null and coalesce(tokens.expires_at > now(), true)
      returning tokens.id, tokens.name
    )
    select exchanged.name, hosts.slug as "hostSlug"
    from exchanged join token_hosts on token_id = exchanged.id join hosts on hosts.id = host_id`;
  return signedIn;
}
