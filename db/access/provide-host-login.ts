import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { Db } from '../connection.ts';
import { lockMigrations } from '../lock-migrations.ts';
import { rowsOf } from '../rows-of.ts';
import { HOST_ROLE } from './declared-access.ts';
import { deriveLogin, type HostLogin } from './host-login.ts';

/**
 * Creates or renews the login. Logins of previous keys stay, for processes that still have one; others end. Returns undefined,
 * or in one line why it is impossible.
 */
export async function provideHostLogin(
  db: Db,
  secretKey: string,
  previousKeys: readonly string[] = [],
): Promise<string | undefined> {
  const login = await deriveLogin(db, secretKey);
  const earlier = await Promise.all(previousKeys.map(key => deriveLogin(db, key)));
  const providing = db.transaction(async tx => {
    await tx.raw(`set local client_min_messages = warning`);
    await lockMigrations(tx);
    for (const each of await provideRoles(tx, login, earlier)) await restoreLogin(tx, each);
  });
  return providing.then(
    () => undefined,
    (error: Error & { code?: string }) => {
      if (error.code?.startsWith('42')) return error.message.slice(error.message.lastIndexOf(' - ') + 3);
      throw error;
    },
  );
}

/**
 * Each database and key has one login. If the current key's is missing, or may no longer log in, the login of a key that is not
 * listed is renamed, which invalidates that key. Returns the existing logins.
 */
async function provideRoles(
  tx: Db,
  login: HostLogin,
  earlier: readonly HostLogin[],
): Promise<readonly HostLogin[]> {
  const found = await rowsOf<{ name: string }>(tx)`
    select rolname as name from pg_roles where starts_with(rolname, ${login.prefix}) order by rolname`;
  const names = found.map(({ name }) => name);
  const kept = [login, ...earlier].filter(({ role }) => names.includes(role));
  const ended = names.filter(name => !kept.some(({ role }) => role === name));
  if (kept[0] !== login) {
    const renamed = ended.shift();
    if (renamed === undefined) await tx.raw(`create role ${login.role}`);
    else await tx.raw('alter role ?? rename to ??', [renamed, login.role]);
  }
  for (const name of ended) await tx.raw('alter role ?? nologin', [name]);
  return [login, ...kept.filter(each => each !== login)];
}

/** Restores the login as it was created: a role may change its own password and settings. */
async function restoreLogin(tx: Db, { role, password }: HostLogin): Promise<void> {
  await tx.raw(`alter role ${role} login noinherit password '${verifierOf(password)}'`);
  await tx.raw(`grant ${HOST_ROLE} to ${role}`);
  const [may] = await rowsOf<{ connect: boolean; database: string }>(tx)`
    select has_database_privilege(${role}, current_database(), 'connect') as connect,
      format('%I', current_database()) as database`;
  if (!may) return;
  for (const each of [role, HOST_ROLE]) await resetSettings(tx, each, may.database);
  if (!may.connect) await tx.raw(`grant connect on database ${may.database} to ${role}`);
}

async function resetSettings(tx: Db, role: string, database: string): Promise<void> {
  await tx.raw(`alter role ${role} reset all`);
  await tx.raw(`alter role ${role} in database ${database} reset all`);
}

const ITERATIONS = 4_096;

/**
 * Returns the SCRAM-SHA-256 verifier of a password: a plain password would appear in the log of a server that logs statements.
 */
function verifierOf(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const signLabel = (label: string) => createHmac('sha256', salted).update(label).digest();
  const stored = createHash('sha256').update(signLabel('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${signLabel('Server Key').toString('base64')}`;
}
