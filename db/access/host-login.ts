import { createHash, hkdfSync } from 'node:crypto';
import { type ConnectOptions, connect, type Db } from '../connection.ts';
import { rowsOf } from '../rows-of.ts';
import { HOST_ROLE } from './declared.ts';
import { verifierOf } from './password-verifier.ts';

/*
 * Work for hosts is done over a login of its own, which may take the role of hosts and nothing else: so a statement that
 * lays the role down, whoever brought it in, ends up with no rights at all instead of the owner's. A release makes the
 * login where the database user may make roles. Roles are the server's, so its name tells the database, and the secret
 * key, from which its password follows: so all processes know it, nobody has to set it, and a process with another key
 * has no login rather than a wrong password.
 *
 * A role may change its own password and settings, and nobody can forbid it. Each release takes such changes back; until
 * then no process starts: over the owner's login a changed password would be a way to more rights.
 */

interface HostLogin {
  readonly role: string;
  readonly password: string;
  /** What the logins of this database begin with, whatever their key. */
  readonly prefix: string;
}

/** `refusal`: why the server does not take it. `change`: what was done to it, so that nothing may start. */
export type HostConnection = { readonly db: Db } | { readonly refusal: string } | { readonly change: string };

/** Wrong password or user, a pooler that does not know the user, no right to connect. */
const refusedLogin = /^(28|08P01|42501|3D)/;

/** Makes the login, or renews it. Gives why it cannot be, in one line; undefined where it can. */
export async function provideHostLogin(db: Db, secretKey: string): Promise<string | undefined> {
  const login = await loginOf(db, secretKey);
  const providing = db.transaction(async tx => {
    await tx.raw(`set local client_min_messages = warning`);
    await tx.raw(`select pg_advisory_xact_lock(hashtext('parley migrations'))`);
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

/** One login for each database: that of another key is renamed, so that the old key opens nothing any more. */
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

/** Connections of that login, if it is as a release made it. Rejects where the server cannot be asked. */
export async function connectAsHostLogin(
  owner: Db,
  url: string,
  secretKey: string,
  options: ConnectOptions,
): Promise<HostConnection> {
  const login = await loginOf(owner, secretKey);
  const settings = await ownSettings(owner, login);
  if (settings && settings.length > 0)
    return { change: `the database login ${login.role} has settings of its own (${settings.join(', ')})` };
  const db = connect(urlFor(url, login), options);
  const refused = await refusalOf(db, login, settings !== undefined).catch(async (error: unknown) => {
    await db.destroy();
    throw error;
  });
  if (refused === undefined) return { db };
  await db.destroy();
  return refused;
}

/**
 * The names of what every session of the login begins with; undefined where there is no such login. Those of the role of
 * hosts are not asked for: it cannot log in, so they never count, and every database of the server shares it.
 */
async function ownSettings(owner: Db, { role }: HostLogin): Promise<readonly string[] | undefined> {
  const [found] = await rowsOf<{ settings: string[] }>(owner)`
    select array(
      select split_part(setting, '=', 1) from pg_db_role_setting kept, unnest(kept.setconfig) setting
      where kept.setrole = own.oid
        and kept.setdatabase in (0, (select oid from pg_database where datname = current_database()))
    ) as settings from pg_roles own where own.rolname = ${role}`;
  return found?.settings;
}

type ConnectionRefusal = Exclude<HostConnection, { readonly db: Db }>;

async function refusalOf(
  db: Db,
  { role }: HostLogin,
  isThere: boolean,
): Promise<ConnectionRefusal | undefined> {
  try {
    const [seen] = await rowsOf<{ user: string; isBound: boolean }>(db)`
      select session_user::text as "user", not (rolsuper or rolbypassrls or rolinherit)
        and pg_has_role(${HOST_ROLE}, 'member')
        and not exists (select from pg_auth_members where member = own.oid and roleid <> ${HOST_ROLE}::regrole) as "isBound"
      from pg_roles own where rolname = session_user`;
    if (seen?.user !== role) return { refusal: `the server takes ${role} for ${seen?.user}` };
    return seen.isBound ? undefined : { refusal: `${role} may more than it should` };
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string };
    if (isThere && isWrongPassword(error))
      return { change: `the password of the database login ${role} was changed or SECRET_KEY differs` };
    if (refusedLogin.test(code)) return { refusal: message.slice(message.lastIndexOf(' - ') + 1).trim() };
    throw error;
  }
}

/** PostgreSQL's own word, which names its routine: a pooler says the same of a user that it does not know. */
function isWrongPassword(error: unknown): boolean {
  const { code, routine } = error as { code?: string; routine?: string };
  return code === '28P01' && routine === 'auth_failed';
}

async function loginOf(db: Db, secretKey: string): Promise<HostLogin> {
  const [own] = await rowsOf<{ database: string }>(db)`select current_database() as database`;
  const database = own?.database ?? '';
  const derive = (purpose: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secretKey, '', `${purpose} ${database}`, length));
  const prefix = `${HOST_ROLE}_${createHash('sha256').update(database).digest('hex').slice(0, 16)}`;
  // Everybody on the server reads names: this much tells two keys apart, and does not prove a guessed one.
  const role = `${prefix}_${derive('parley login name', 4).toString('hex')}`;
  return { role, prefix, password: derive('parley login', 32).toString('base64url') };
}

/** What it names for user and password goes before all else in the address. */
function urlFor(url: string, { role, password }: HostLogin): string {
  const own = new URL(url);
  own.searchParams.set('user', role);
  own.searchParams.set('password', password);
  return own.href;
}
