import type { Db } from '../connection.ts';
import { rowsOf } from '../rows-of.ts';

/*
 * Links to the console. A link has a token from the beginning, so that it is listed, audited and can be revoked, but nobody
 * knows the text of that token: the exchange opens a session of it (sessions.ts).
 *
 *   made --exchanged once--> its token has a session    made --not in time--> deleted with its token
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
