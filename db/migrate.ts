import type { Knex } from 'knex';
import { applyAccess } from './access/apply-access.ts';
import { adoptBaseline } from './adopt-baseline.ts';
import type { Db } from './connection.ts';
import { applyFunctions, applySql, functionFiles, vectorFunctionFiles } from './functions.ts';
import { lockMigrations } from './lock-migrations.ts';
import { type Migration, migrations } from './migrations/list.ts';
import { prepareServer } from './prepare-server.ts';

const migrationSource: Knex.MigrationSource<Migration> = {
  getMigrations: async () => [...migrations],
  getMigrationName: migration => migration.name,
  getMigration: async migration => ({
    up: tx => applySql(tx, `db/migrations/${migration.name}.ts`, migration.sql),
    down: refuseDown,
  }),
};

/**
 * Migrates the database to the newest schema. Safe to run concurrently and to kill at any moment: it is one
 * transaction, so no lock is left behind. Also replaces functions that changed, and restores functions, policies and
 * grants that are missing after a restored backup. Returns statements that an administrator should run, if any.
 */
export async function migrate(db: Db): Promise<readonly string[]> {
  const advice = await prepareServer(db);
  await db.transaction(async tx => {
    await tx.raw(`set local statement_timeout = 0; set local client_min_messages = warning`);
    await lockMigrations(tx);
    await adoptBaseline(tx);
    // Checked above: knex would demand files of the migrations that the baseline replaced.
    await tx.migrate.latest({ migrationSource, disableMigrationsListValidation: true });
    await applyFunctions(tx, functionFiles);
    if (await tx.schema.hasTable('chunk_embeddings')) await applyFunctions(tx, vectorFunctionFiles);
    await applyAccess(tx);
  });
  return advice;
}

async function refuseDown(): Promise<never> {
  throw new Error('Migrations only go forward: write a new one that reverts the change.');
}
