import { createHash, hkdfSync } from 'node:crypto';
import { type ConnectOptions, connect, type Db } from '../connection.ts';
import { rowsOf } from '../rows-of.ts';
import { HOST_ROLE } from './declared-access.ts';

export interface HostLogin {
  readonly role: string;
  readonly password: string;
  /** Common prefix of the logins of this database, for any key. */
  readonly prefix: string;
}

export async function deriveLogin(db: Db, secretKey: string): Promise<HostLogin> {
  const [own] = await rowsOf<{ database: string }>(db)`select current_database() as database`;
  const database = own?.database ?? '';
  const derive = (purpose: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secretKey, '', `${purpose} ${database}`, length));
  const prefix = `${HOST_ROLE}_${createHash('sha256').update(database).digest('hex').slice(0, 16)}`;
  // Role names are visible to all users of the server: 4 bytes tell keys apart without helping to guess one.
  const role = `${prefix}_${derive('parley login name', 4).toString('hex')}`;
  return { role, prefix, password: derive('parley login', 32).toString('base64url') };
}

/*
 * Work for hosts uses its own login, which may only take the role of hosts: a statement that resets the role, by
 * injection for example, ends up without rights instead of with the owner's. A release creates the login where the
 * database user may create roles. Roles belong to the server, so the name of the login is derived from the database,
 * and its password from the secret key: all processes know it without a setting, and a process with another key has
 * no login rather than a wrong password.
 *
 * A role may always change its own password and settings. Each release reverts such changes; until then no process
 * starts, because falling back to the owner's login would turn a changed password into more rights.
 */

/**
 * `url` is for further pools of the login. `refusal` says why the server rejects it. `change` says how it was modified: no
 * process may start then.
 */
export type HostConnection =
  | { readonly db: Db; readonly url: string }
  | { readonly refusal: string }
  | { readonly change: string };

/** Wrong password or user, a pooler that does not know the user, no CONNECT privilege. */
const refusedLogin = /^(28|08P01|42501|3D)/;

/** Connects with the login, if it is as a release created it. Rejects if the server does not answer. */
export async function connectAsHostLogin(
  owner: Db,
  url: string,
  secretKey: string,
  options: ConnectOptions,
): Promise<HostConnection> {
  const login = await deriveLogin(owner, secretKey);
  const settings = await ownSettings(owner, login);
  if (settings && settings.length > 0)
    return { change: `the database login ${login.role} has settings of its own (${settings.join(', ')})` };
  const loginUrl = urlFor(url, login);
  const db = connect(loginUrl, { ...options, isPipelined: true });
  const refused = await refusalOf(db, login, settings !== undefined).catch(async (error: unknown) => {
    await db.destroy();
    throw error;
  });
  if (refused === undefined) return { db, url: loginUrl };
  await db.destroy();
  return refused;
}

/**
 * Returns the names of the login's settings; undefined if it does not exist. Settings of the host role never apply, because it
 * cannot log in.
 */
async function ownSettings(owner: Db, { role }: HostLogin): Promise<readonly string[] | undefined> {
  const [found] = await rowsOf<{ settings: string[] }>(owner)`
    select array(
      select split_part(setting, '=', 1) from pg_db_role_setting role_setting, unnest(role_setting.setconfig) setting
      where role_setting.setrole = login_role.oid
        and role_setting.setdatabase in (0, (select oid from pg_database where datname = current_database()))
    ) as settings from pg_roles login_role where login_role.rolname = ${role}`;
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
        and not exists (select from pg_auth_members where member = login_role.oid and roleid <> ${HOST_ROLE}::regrole) as "isBound"
      from pg_roles login_role where rolname = session_user`;
    if (seen?.user !== role) return { refusal: `the server takes ${role} for ${seen?.user}` };
    return seen.isBound ? undefined : { refusal: `${role} has more rights than it should` };
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string };
    if (isThere && isWrongPassword(error))
      return { change: `the password of the database login ${role} was changed or SECRET_KEY differs` };
    if (refusedLogin.test(code)) return { refusal: message.slice(message.lastIndexOf(' - ') + 1).trim() };
    throw error;
  }
}

/** The error of PostgreSQL names its routine; a pooler uses the same code for an unknown user. */
function isWrongPassword(error: unknown): boolean {
  const { code, routine } = error as { code?: string; routine?: string };
  return code === '28P01' && routine === 'auth_failed';
}

/** Query parameters take precedence over the user and password of the URL. */
function urlFor(url: string, { role, password }: HostLogin): string {
  const own = new URL(url);
  own.searchParams.set('user', role);
  own.searchParams.set('password', password);
  return own.href;
}
