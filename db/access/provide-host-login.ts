import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { Db } from '../connection.ts';
import { lockMigrations } from '../lock-migrations.ts';
import { rowsOf } from '../rows-of.ts';
import { HOST_ROLE } from './declared-access.ts';
import { deriveLogin, type HostLogin } from './host-credentials.ts';

/** Creates or renews the login. Returns undefined, or in one line why it is impossible. */
export async function provideHostLogin(db: Db, secretKey: string): Promise<string | undefined> {
  const login = await deriveLogin(db, secretKey);
  const providing = db.transaction(async tx => {
    await tx.raw(`set local client_min_messages = warning`);
    await lockMigrations(tx);
    await provideRole(tx, login);
    await tx.raw(`alter role ${login.role} login noinherit password '${verifierOf(login.password)}'`);
    await tx.raw(`grant ${HOST_ROLE} to ${login.role}`);
    const [may] = await rowsOf<{ connect: boolean; database: string }>(tx)`
      select has_database_privilege(${login.role}, current_database(), 'connect') as connect,
        format('%I', current_database()) as database`;
    if (!may) return;
    for (const role of [login.role, HOST_ROLE]) await resetSettings(tx, role, may.database);
    if (!may.connect) await tx.raw(`grant connect on database ${may.database} to ${login.role}`);
  });
  return providing.then(
    () => undefined,
    (error: Error & { code?: string }) => {
      if (error.code?.startsWith('42')) return error.message.slice(error.message.lastIndexOf(' - ') + 3);
      throw error;
    },
  );
}

/** One login for each database: the login of another key is renamed, which invalidates the old key. */
async function provideRole(tx: Db, { role, prefix }: HostLogin): Promise<void> {
  const found = await rowsOf<{ name: string }>(tx)`
    select rolname as name from pg_roles where starts_with(rolname, ${prefix}) order by rolname = ${role} desc`;
  const [own] = found;
  if (!own) await tx.raw(`create role ${role}`);
  else if (own.name !== role) await tx.raw('alter role ?? rename to ??', [own.name, role]);
}

async function resetSettings(tx: Db, role: string, database: string): Promise<void> {
  await tx.raw(`alter role ${role} reset all`);
  await tx.raw(`alter role ${role} in database ${database} reset all`);
}

const ITERATIONS = 4_096;

/**
 * The SCRAM-SHA-256 verifier of a password: a plain password would appear in the log of a server that logs
 * statements.
 */
function verifierOf(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const signLabel = (label: string) => createHmac('sha256', salted).update(label).digest();
  const stored = createHash('sha256').update(signLabel('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${signLabel('Server Key').toString('base64')}`;
}
