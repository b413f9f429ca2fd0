import type { Knex } from 'knex';
import { rowsOf } from '../rows-of.ts';
import { HOST_POLICY, HOST_ROLE, hostTables, hostViews, ownerFunctions } from './declared-access.ts';

export interface AccessDifference {
  readonly subject: string;
  readonly repairSql: string;
  /** Set if the policy has another wording, which may be due to the PostgreSQL version. */
  readonly isWording?: boolean;
}

interface FoundRelation {
  readonly name: string;
  readonly isGuarded: boolean;
  /** The condition of the policy; null without a policy for the role. */
  readonly rows: string | null;
  readonly may: readonly string[];
}

interface FoundFunction {
  readonly name: string;
  readonly signature: string;
  readonly searchPath: string | null;
  /** The expected search path: the schema of the tables, the schemas of extensions, and pg_temp last. */
  readonly wantedPath: string;
  readonly mayHost: boolean;
  readonly mayAll: boolean;
}

/** Reads all differences from the declared access from the catalog. */
export async function findAccessDifferences(db: Knex): Promise<AccessDifference[]> {
  const [role] = await rowsOf<{ isBound: boolean }>(db)`
    select not (rolsuper or rolbypassrls) as "isBound" from pg_roles where rolname = ${HOST_ROLE}`;
  if (!role) return [{ subject: `the role ${HOST_ROLE}`, repairSql: `create role ${HOST_ROLE} nologin` }];
  const unbound = {
    subject: `the limits of the role ${HOST_ROLE}`,
    repairSql: `alter role ${HOST_ROLE} nosuperuser nobypassrls`,
  };
  return [
    ...(role.isBound ? [] : [unbound]),
    ...(await listRelations(db)).flatMap(relation => compareRelation(relation)),
    ...(await listFunctions(db)).flatMap(found => compareFunction(found)),
  ];
}

function compareRelation({ name, isGuarded, rows, may }: FoundRelation): AccessDifference[] {
  const differences: AccessDifference[] = [];
  const table = hostTables[name];
  if (table && !isGuarded)
    differences.push({
      subject: `row-level security of ${name}`,
      repairSql: `alter table ${name} enable row level security`,
    });
  if (table && rows !== table.rows)
    differences.push({
      subject: `the policy of ${name}`,
      repairSql: `drop policy if exists ${HOST_POLICY} on ${name};
        create policy ${HOST_POLICY} on ${name} to ${HOST_ROLE} using ${table.rows}`,
      isWording: rows !== null,
    });
  const wanted = table?.may ?? ((hostViews as readonly string[]).includes(name) ? ['select'] : []);
  if (wanted.toSorted().join() !== may.toSorted().join()) {
    const grant = wanted.length > 0 ? `; grant ${wanted.join(', ')} on ${name} to ${HOST_ROLE}` : '';
    differences.push({
      subject: `the grants on ${name}`,
      repairSql: `revoke all on ${name} from public, ${HOST_ROLE}${grant}`,
    });
  }
  return differences;
}

function compareFunction({
  name,
  signature,
  searchPath,
  wantedPath,
  mayHost,
  mayAll,
}: FoundFunction): AccessDifference[] {
  const differences: AccessDifference[] = [];
  const isCallable = ownerFunctions[name]?.isCallable ?? false;
  if (searchPath !== wantedPath)
    differences.push({
      subject: `the search path of ${name}`,
      repairSql: `alter function ${signature} set search_path = ${wantedPath}`,
    });
  if (mayAll || mayHost !== isCallable) {
    const grant = isCallable ? `; grant execute on function ${signature} to ${HOST_ROLE}` : '';
    const repairSql = `revoke execute on function ${signature} from public, ${HOST_ROLE}${grant}`;
    differences.push({ subject: `the grants on ${name}`, repairSql });
  }
  return differences;
}

/** Lists the declared relations that exist, and any other relation that is granted to the role. */
async function listRelations(db: Knex): Promise<FoundRelation[]> {
  const declared = [...Object.keys(hostTables), ...hostViews];
  return rowsOf<FoundRelation>(db)`
    select * from (
      select relname as name, relrowsecurity as "isGuarded",
        (select pg_get_expr(polqual, polrelid) from pg_policy
          where polrelid = class.oid and polname = ${HOST_POLICY} and polpermissive and polcmd = '*'
            and polwithcheck is null and polroles = array[${HOST_ROLE}::regrole::oid]) as rows,
        array(select case grantee when 0 then 'everybody ' else '' end || lower(privilege_type) from aclexplode(relacl)
          where grantee = ${HOST_ROLE}::regrole or grantee = 0 and relname = any (${declared}::text[])) as may
      from pg_class class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v')
    ) relation
    where name = any (${declared}::text[]) or cardinality(may) > 0
    order by name`;
}

async function listFunctions(db: Knex): Promise<FoundFunction[]> {
  return rowsOf<FoundFunction>(db)`
    select proname as name, owner_function.oid::regprocedure::text as signature,
      (select substring(setting from '^search_path=(.*)$') from unnest(proconfig) setting
        where setting like 'search_path=%') as "searchPath",
      concat_ws(', ', quote_ident(current_schema()), (
        select string_agg(distinct quote_ident(nspname), ', ')
        from pg_extension join pg_namespace schema on schema.oid = extnamespace
        where extname in ('pg_trgm', 'unaccent', 'vector') and nspname <> current_schema()), 'pg_temp') as "wantedPath",
      exists (select from aclexplode(acl) where grantee = ${HOST_ROLE}::regrole) as "mayHost",
      exists (select from aclexplode(acl) where grantee = 0) as "mayAll"
    from pg_proc owner_function, lateral (select coalesce(proacl, acldefault('f', proowner)) as acl) access_list
    where pronamespace = current_schema()::regnamespace and proname = any (${Object.keys(ownerFunctions)}::text[])
    order by 1, 2`;
}

/** Applies the declared access where it differs: changing a policy locks its table. Throws if the database user may not. */
export async function applyAccess(tx: Knex.Transaction): Promise<void> {
  for (const { repairSql } of await findAccessDifferences(tx)) await tx.raw(repairSql);
  const left = await findAccessDifferences(tx);
  const missing = left.filter(({ isWording }) => !isWording).map(({ subject }) => subject);
  if (missing.length > 0)
    throw new Error(`The database user may not restore the access to hosts: ${missing.join(', ')}`);
}
