import type { Knex } from 'knex';
import { applyAccess } from './access/apply-access.ts';
import type { Db } from './connection.ts';
import { applyFunctions } from './functions.ts';
import { type Migration, migrations } from './migrations/list.ts';
import { prepareServer } from './prepare-server.ts';

const migrationSource: Knex.MigrationSource<Migration> = {
  getMigrations: async () => [...migrations],
  getMigrationName: migration => migration.name,
  getMigration: async migration => ({ up: tx => tx.raw(migration.sql), down: refuseDown }),
};

/**
 * Brings the database to the newest schema; what is there already stays as it is. Safe to run from several processes
 * at once and to kill at any moment: all of it is one transaction, so no lock is ever left behind. Functions that
 * changed are replaced, and what a restored backup has lost of functions and of the access to hosts is put back. Gives statements that an administrator should run, if there are any.
 */
export async function migrate(db: Db): Promise<readonly string[]> {
  const advised = await prepareServer(db);
  await db.transaction(async tx => {
    await tx.raw(`set local statement_timeout = 0; set local client_min_messages = warning`);
    await tx.raw(`select pg_advisory_xact_lock(hashtext('parley migrations'))`);
    await tx.migrate.latest({ migrationSource });
    await applyFunctions(tx);
    await applyAccess(tx);
  });
  return advised;
}

async function refuseDown(): Promise<never> {
  throw new Error('Migrations only go forward: write a new one that takes the change back.');
}
