import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Knex } from 'knex';
import { reasonOf } from '../platform/error-reason.ts';
import { returnsRow, rowsOf } from './rows-of.ts';

/**
 * The files of db/functions in the order of application: PostgreSQL checks the body of an SQL function when it is
 * created, so its callees come first. Functions in PL/pgSQL may call functions of later files.
 */
export const functionFiles = [
  'hosts',
  'audit',
  'replies',
  'turns',
  'files',
  'knowledge',
  'search-records',
  'search-words',
  'search-candidates',
  'search-scores',
  'search-phones',
  'search',
  'reports',
  'outcomes',
  'events',
  'spend',
] as const;

export const vectorFunctionFiles = ['vectors'] as const;

type FunctionFile = (typeof functionFiles)[number] | (typeof vectorFunctionFiles)[number];

const { resolve } = createRequire(import.meta.url);

/**
 * Replaces the functions of each file that changed since it was applied, or of which one is missing, as after a
 * restored backup. Functions that indexes and stored values use are in migrations instead: replacing one would not
 * recompute what was stored with it. Dropping a function, or changing its name or a parameter, also needs a migration.
 */
export async function applyFunctions(tx: Knex.Transaction, files: readonly FunctionFile[]): Promise<void> {
  const applied = await rowsOf<{ name: string; hash: string }>(tx)`select name, hash from function_files`;
  const hashes = new Map(applied.map(({ name, hash }) => [name, hash]));
  for (const name of files) {
    const sql = await readFunctionFile(name);
    const hash = createHash('sha256').update(sql).digest('hex');
    if (hashes.get(name) === hash && !(await isFunctionMissing(tx, functionNamesIn(sql)))) continue;
    // Knex treats a question mark as a placeholder.
    await applySql(tx, `db/functions/${name}.sql`, sql.replaceAll('?', '\\?'));
    await rowsOf(tx)`
      insert into function_files (name, hash) values (${name}, ${hash})
      on conflict (name) do update set hash = excluded.hash`;
  }
}

/** The error has the name of the file and PostgreSQL's message, instead of the whole file. */
export async function applySql(tx: Knex, file: string, sql: string): Promise<void> {
  await tx.raw(sql).catch((error: unknown) => {
    throw new Error(`${file}: ${reasonOf(error)}`, { cause: error });
  });
}

export function readFunctionFile(name: FunctionFile): Promise<string> {
  return readFile(resolve(`#db/functions/${name}.sql`), 'utf8');
}

export function functionNamesIn(sql: string): string[] {
  return [...sql.matchAll(/^create or replace function (\w+)/gm)].map(([, name = '']) => name);
}

async function isFunctionMissing(tx: Knex.Transaction, names: readonly string[]): Promise<boolean> {
  return returnsRow(tx)`
    select name from unnest(${[...names]}::text[]) name
    where not exists (
      select 1 from pg_proc where proname = name and pronamespace = 'public'::regnamespace)`;
}
