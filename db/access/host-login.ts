import { createHash, createHmac, hkdfSync, pbkdf2Sync, randomBytes } from 'node:crypto';
import { type ConnectOptions, connect, type Db } from '../connection.ts';
import { rowsOf } from '../rows-of.ts';
import { HOST_ROLE } from './declared.ts';

/*
 * Work for hosts is done over a login of its own, which may take the role of hosts and nothing else: so a statement that
 * lays the role down, whoever brought it in, ends up with no rights at all instead of the owner's. A release makes the
 * login where the database user may make roles. Roles are the server's, so its name tells the database; its password
 * follows from the secret key, so that all processes know it and nobody has to set it.
 */

interface HostLogin {
  readonly role: string;
  readonly password: string;
}

/** Wrong password or user, a pooler that does not know the user, no right to connect. */
const refusedLogin = /^(28|08P01|42501|3D)/;
const ITERATIONS = 4_096;

/** Makes the login, or renews its password. Gives why it cannot be, in one line; undefined where it can. */
export async function provideHostLogin(db: Db, secretKey: string): Promise<string | undefined> {
  const { role, password } = await loginOf(db, secretKey);
  const providing = db.transaction(async tx => {
    await tx.raw(`set local client_min_messages = warning`);
    await tx.raw(`select pg_advisory_xact_lock(hashtext('parley migrations'))`);
    const [found] = await rowsOf(tx)`select from pg_roles where rolname = ${role}`;
    if (!found) await tx.raw(`create role ${role}`);
    await tx.raw(`alter role ${role} login noinherit password '${verifierOf(password)}'`);
    await tx.raw(`grant ${HOST_ROLE} to ${role}`);
    const [may] = await rowsOf<{ connect: boolean; database: string }>(tx)`
      select has_database_privilege(${role}, current_database(), 'connect') as connect,
        format('%I', current_database()) as database`;
    if (may && !may.connect) await tx.raw(`grant connect on database ${may.database} to ${role}`);
  });
  return providing.then(
    () => undefined,
    (error: Error & { code?: string }) => {
      if (error.code?.startsWith('42')) return error.message.slice(error.message.lastIndexOf(' - ') + 3);
      throw error;
    },
  );
}

/** Connections of that login; or why the server does not take it. Rejects where the server cannot be asked. */
export async function connectAsHostLogin(
  owner: Db,
  url: string,
  secretKey: string,
  options: ConnectOptions,
): Promise<{ readonly db: Db } | { readonly refusal: string }> {
  const login = await loginOf(owner, secretKey);
  const db = connect(urlFor(url, login), options);
  const refusal = await refusalOf(db, login).catch(async (error: unknown) => {
    await db.destroy();
    throw error;
  });
  if (refusal === undefined) return { db };
  await db.destroy();
  return { refusal };
}

async function refusalOf(db: Db, { role }: HostLogin): Promise<string | undefined> {
  try {
    const [seen] = await rowsOf<{ user: string; isBound: boolean }>(db)`
      select session_user::text as "user", not (rolsuper or rolbypassrls or rolinherit)
        and pg_has_role(${HOST_ROLE}, 'member')
        and not exists (select from pg_auth_members where member = own.oid and roleid <> ${HOST_ROLE}::regrole) as "isBound"
      from pg_roles own where rolname = session_user`;
    if (seen?.user !== role) return `the server takes ${role} for ${seen?.user}`;
    return seen.isBound ? undefined : `${role} may more than it should`;
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string };
    if (refusedLogin.test(code)) return message.slice(message.lastIndexOf(' - ') + 1).trim();
    throw error;
  }
}

async function loginOf(db: Db, secretKey: string): Promise<HostLogin> {
  const [own] = await rowsOf<{ database: string }>(db)`select current_database() as database`;
  const database = own?.database ?? '';
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', `parley login ${database}`, 32));
  const digest = createHash('sha256').update(database).digest('hex').slice(0, 16);
  return { role: `${HOST_ROLE}_${digest}`, password: key.toString('base64url') };
}

/** What it names for user and password goes before all else in the address. */
function urlFor(url: string, { role, password }: HostLogin): string {
  const own = new URL(url);
  own.searchParams.set('user', role);
  own.searchParams.set('password', password);
  return own.href;
}

/** As SCRAM-SHA-256 keeps a password: the password itself would stand in the log of a server that logs statements. */
function verifierOf(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const keyed = (label: string) => createHmac('sha256', salted).update(label).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`;
}
