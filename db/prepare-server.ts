import { HOST_ROLE } from './access/declared-access.ts';
import type { Db } from './connection.ts';
import { rowsOf } from './rows-of.ts';

const MIN_SERVER_VERSION = 15;
const extensions = ['pg_trgm', 'unaccent'];

/**
 * Creates what migrations cannot: extensions, and the host role, which the whole server shares. Only the resulting state
 * counts, because an administrator or a concurrent process may have created it. Throws one line for an administrator; returns
 * statements that would improve the setup and need one.
 */
export async function prepareServer(db: Db): Promise<readonly string[]> {
  await checkServer(db);
  let refusal: unknown;
  for (const statement of [...(await listMissing(db)), ...(await listAdvised(db))]) {
    await db.raw(statement).catch(error => {
      refusal = error;
    });
  }
  const missing = await listMissing(db);
  if (missing.length === 0) return listAdvised(db);
  throw new Error(
    `The database user may not prepare the database; an administrator has to run there: ${missing.join('; ')};`,
    { cause: refusal },
  );
}

async function checkServer(db: Db): Promise<void> {
  const [server] = await rowsOf<{ version: number; encoding: string; knowsLetters: boolean }>(db)`
    select current_setting('server_version_num')::integer / 10000 as version,
      current_setting('server_encoding') as encoding, lower(${'É'}) = ${'é'} and ${'é'} ~ '[[:alpha:]]' as "knowsLetters"`;
  if (!server) return;
  const { version, encoding, knowsLetters } = server;
  if (version < MIN_SERVER_VERSION)
    throw new Error(
      `PostgreSQL ${MIN_SERVER_VERSION} or newer is needed; this server is version ${version}.`,
    );
  // Without accented letters, a search splits `matrícula` into two words.
  if (encoding !== 'UTF8' || !knowsLetters)
    throw new Error(
      `The database knows no letters with accents (encoding ${encoding}): make one with UTF8 and a locale like C.UTF-8.`,
    );
}

interface ServerState {
  readonly extensions: readonly string[];
  readonly user: string;
  readonly schema: string;
  readonly mayMakeTables: boolean;
  /** Whether the role bypasses policies; null if it is missing. */
  readonly isUnbound: boolean | null;
}

/** Lists the statements that are still needed, in order. */
async function listMissing(db: Db): Promise<string[]> {
  const [present] = await rowsOf<ServerState>(db)`
    select array(select extname::text from pg_extension) as extensions, format('%I', current_user) as "user",
      format('%I', current_schema()) as schema,
      has_schema_privilege(current_schema(), 'create') as "mayMakeTables",
      (select rolsuper or rolbypassrls from pg_roles where rolname = ${HOST_ROLE}) as "isUnbound"`;
  if (!present) return [];
  const { user, schema, mayMakeTables, isUnbound } = present;
  const missing = extensions
    .filter(name => !present.extensions.includes(name))
    .map(name => `create extension if not exists ${name}`);
  if (!mayMakeTables) missing.push(`grant all on schema ${schema} to ${user}`);
  if (isUnbound === null) missing.push(`create role ${HOST_ROLE} nologin`);
  if (isUnbound) missing.push(`alter role ${HOST_ROLE} nosuperuser nobypassrls`);
  if (!(await mayTakeRole(db))) missing.push(`grant ${HOST_ROLE} to ${user}`);
  return missing;
}

/** Lists default rights of PUBLIC that should be revoked: temporary tables, and objects that could shadow our tables. */
async function listAdvised(db: Db): Promise<string[]> {
  const [open] = await rowsOf<{ database: string; schema: string; temporary: boolean; creates: boolean }>(db)`
    select format('%I', datname) as database, format('%I', nspname) as schema,
      exists (select from aclexplode(coalesce(datacl, acldefault('d', datdba)))
        where grantee = 0 and privilege_type = 'TEMPORARY') as temporary,
      exists (select from aclexplode(nspacl) where grantee = 0 and privilege_type = 'CREATE') as creates
    from pg_database, pg_namespace where datname = current_database() and nspname = current_schema()`;
  if (!open) return [];
  return [
    ...(open.temporary ? [`revoke temporary on database ${open.database} from public`] : []),
    ...(open.creates ? [`revoke create on schema ${open.schema} from public`] : []),
  ];
}

/** Tries it, because server versions report membership differently. */
async function mayTakeRole(db: Db): Promise<boolean> {
  const taken = db.transaction(async tx => {
    await tx.raw(`set local role ${HOST_ROLE}`);
    return true;
  });
  return taken.catch(() => false);
}
