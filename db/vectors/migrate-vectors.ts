import type { Knex } from 'knex';
import { applyAccess } from '../access/apply-access.ts';
import type { Db } from '../connection.ts';
import { rowsOf } from '../rows-of.ts';
import { chunkEmbeddings } from './0001-chunk-embeddings.ts';

/** Only ever added to, like the migrations that every database has. */
const migrations = [{ name: '0001-chunk-embeddings', sql: chunkEmbeddings }];
const migrationSource: Knex.MigrationSource<(typeof migrations)[number]> = {
  getMigrations: async () => migrations,
  getMigrationName: migration => migration.name,
  getMigration: async migration => ({ up: tx => tx.raw(migration.sql), down: async () => {} }),
};

interface Extension {
  readonly installed: string | null;
  readonly available: string | null;
}

/**
 * Brings what keeps vectors to the newest schema, beside the migrations that need none: pgvector may come to a server
 * at any time. Gives why there can be no vectors in this database, in one line for people; undefined where there can.
 * Safe to run from several processes at once and to kill at any moment.
 */
export async function migrateVectors(db: Db): Promise<string | undefined> {
  const before = await extensionIn(db);
  if (!before.installed && !before.available) return 'the server has no pgvector';
  // What was tried does not matter, only what is there afterwards.
  if (!before.installed) await db.raw('create extension if not exists vector').catch(() => {});
  const { installed } = await extensionIn(db);
  if (!installed) return 'an administrator has to run there: create extension if not exists vector;';
  if (/^0\.[0-4]\b/.test(installed)) return `pgvector 0.5 or newer is needed; the database has ${installed}`;
  await db.transaction(async tx => {
    await tx.raw(`set local statement_timeout = 0; set local client_min_messages = warning`);
    await tx.raw(`select pg_advisory_xact_lock(hashtext('parley migrations'))`);
    await tx.migrate.latest({ migrationSource, tableName: 'knex_vector_migrations' });
    await applyAccess(tx);
  });
  return undefined;
}

async function extensionIn(db: Db): Promise<Extension> {
  const [extension] = await rowsOf<Extension>(db)`
    select (select extversion from pg_extension where extname = 'vector') as installed,
      (select default_version from pg_available_extensions where name = 'vector') as available`;
  return extension ?? { installed: null, available: null };
}
