import { createHash, hkdfSync } from 'node:crypto';
import type { Db } from '../connection.ts';
import { rowsOf } from '../rows-of.ts';
import { HOST_ROLE } from './declared-access.ts';

export interface HostLogin {
  readonly role: string;
  readonly password: string;
  /** Common prefix of the logins of this database, for any key. */
  readonly prefix: string;
}

export async function loginOf(db: Db, secretKey: string): Promise<HostLogin> {
  const [own] = await rowsOf<{ database: string }>(db)`select current_database() as database`;
  const database = own?.database ?? '';
  const derive = (purpose: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secretKey, '', `${purpose} ${database}`, length));
  const prefix = `${HOST_ROLE}_${createHash('sha256').update(database).digest('hex').slice(0, 16)}`;
  // Role names are visible to all users of the server: 4 bytes tell keys apart without helping to guess one.
  const role = `${prefix}_${derive('parley login name', 4).toString('hex')}`;
  return { role, prefix, password: derive('parley login', 32).toString('base64url') };
}
