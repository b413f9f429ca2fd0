import type { Knex } from 'knex';
import { applyAccess } from '../access/access-differences.ts';
import type { Db } from '../connection.ts';
import { applyFunctions, applySql, vectorFunctionFiles } from '../functions.ts';
import { lockMigrations } from '../lock-migrations.ts';
import { rowsOf } from '../rows-of.ts';
import { chunkEmbeddings } from './0001-chunk-embeddings.ts';

/** The list is append only, like the other migrations. */
const migrations = [{ name: '0001-chunk-embeddings', sql: chunkEmbeddings }];
const migrationSource: Knex.MigrationSource<(typeof migrations)[number]> = {
  getMigrations: async () => migrations,
  getMigrationName: migration => migration.name,
  getMigration: async migration => ({
    up: tx => applySql(tx, `db/vectors/${migration.name}.ts`, migration.sql),
    down: async () => {},
  }),
};

interface Extension {
  readonly installed: string | null;
  readonly available: string | null;
}

/**
 * Migrates the schema of vectors, separately from the other migrations, because pgvector may be installed at any time. Returns
 * undefined, or in one line why vectors are impossible in this database. Safe to run concurrently and to kill.
 */
export async function migrateVectors(db: Db): Promise<string | undefined> {
  const before = await readExtension(db);
  if (!before.installed && !before.available) return 'the server has no pgvector';
  // Only the resulting state counts, so an error is ignored.
  if (!before.installed) await db.raw('create extension if not exists vector').catch(() => {});
  const { installed } = await readExtension(db);
  if (!installed) return 'an administrator has to run there: create extension if not exists vector;';
  if (/^0\.[0-4]\b/.test(installed)) return `pgvector 0.5 or newer is needed; the database has ${installed}`;
  await db.transaction(async tx => {
    await tx.raw(`set local statement_timeout = 0; set local client_min_messages = warning`);
    await lockMigrations(tx);
    const [, applied] = await tx.migrate.latest({ migrationSource, tableName: 'knex_vector_migrations' });
    // Functions are applied only with a new table: later a release applies them, not a worker of maybe an earlier version.
    if (applied.length > 0) await applyFunctions(tx, vectorFunctionFiles);
    await applyAccess(tx);
  });
  return undefined;
}

async function readExtension(db: Db): Promise<Extension> {
  const [extension] = await rowsOf<Extension>(db)`
    select (select extversion from pg_extension where extname = 'vector') as installed,
      (select default_version from pg_available_extensions where name = 'vector') as available`;
  return extension ?? { installed: null, available: null };
}
