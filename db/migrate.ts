import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { errorCodeOf } from '../platform/error-reason.ts';
import { applyAccess } from './access/access-differences.ts';
import type { Db } from './connection.ts';
import { applyFunctions, applySql, functionFiles, vectorFunctionFiles } from './functions.ts';
import { lockMigrations } from './lock-migrations.ts';
import { baseline, type Migration, migrations } from './migrations/list.ts';
import { prepareServer } from './prepare-server.ts';

const LOCK_TIMEOUT = '55P03';
const DEADLOCK = '40P01';
/** Behind a release that waits for a table, all processes of the previous version wait. A vacuum gives way in this time. */
const MAX_LOCK_WAIT_MS = 1_500;
const MAX_PAUSE_MS = 1_000;
const GIVE_UP_MS = 120_000;

const migrationSource: Knex.MigrationSource<Migration> = {
  getMigrations: async () => [...migrations],
  getMigrationName: migration => migration.name,
  getMigration: async migration => ({
    up: tx => applySql(tx, `db/migrations/${migration.name}.ts`, migration.sql),
    down: refuseDown,
  }),
};

/**
 * Migrates the database to the newest schema. Safe to run concurrently and to kill at any moment: it is one transaction, so no
 * lock is left behind. Processes of the previous version go on meanwhile: the migration starts anew if they hold what it needs.
 * Also replaces functions that changed, and restores functions, policies and grants that are missing after a restored backup.
 * Returns statements that an administrator should run, if any.
 */
export async function migrate(db: Db): Promise<readonly string[]> {
  const advice = await prepareServer(db);
  const giveUpAt = Date.now() + GIVE_UP_MS;
  while (!(await giveWayTo(() => migrateOnce(db), giveUpAt))) await delay(Math.random() * MAX_PAUSE_MS);
  return advice;
}

/** Returns false if another session held a needed lock for too long. */
async function giveWayTo(work: () => Promise<void>, giveUpAt: number): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    const isHeld = [LOCK_TIMEOUT, DEADLOCK].includes(String(errorCodeOf(error)));
    if (!isHeld || Date.now() > giveUpAt) throw error;
    return false;
  }
}

function migrateOnce(db: Db): Promise<void> {
  return db.transaction(async tx => {
    await tx.raw(`set local statement_timeout = 0; set local client_min_messages = warning`);
    await lockMigrations(tx);
    await tx.raw(`set local lock_timeout = ${MAX_LOCK_WAIT_MS}`);
    await adoptBaseline(tx);
    // `adoptBaseline` has checked the list: knex would demand files of the migrations that the baseline replaced.
    await tx.migrate.latest({ migrationSource, disableMigrationsListValidation: true });
    await applyFunctions(tx, functionFiles);
    if (await tx.schema.hasTable('chunk_embeddings')) await applyFunctions(tx, vectorFunctionFiles);
    await applyAccess(tx);
  });
}

async function refuseDown(): Promise<never> {
  throw new Error('Migrations only go forward: write a new one that reverts the change.');
}

/** The migrations that the baseline replaced: their number, and the last one. */
const REPLACED_COUNT = 35;
const LAST_REPLACED = '0037-search-outbox-indexes';
const LAST_COMMIT_BEFORE = 'e34cdd3';

const known = new Set(migrations.map(({ name }) => name));

/**
 * Records the baseline as applied in a database that the replaced migrations built, which has the same schema. Their rows
 * stay: running processes of the previous version look for them, and would no longer be ready without them. Throws, with
 * one line for operators, if a replaced migration is missing, or if a newer version has migrated the database.
 */
async function adoptBaseline(tx: Knex.Transaction): Promise<void> {
  if (!(await tx.schema.hasTable('knex_migrations'))) return;
  const applied: string[] = await tx('knex_migrations').pluck('name');
  const unknown = applied.filter(name => !known.has(name)).toSorted();
  const replaced = unknown.filter(name => name <= LAST_REPLACED);
  const newer = unknown.at(replaced.length);
  if (newer !== undefined)
    throw new Error(
      `The database has the migration ${newer}, which this version does not know: a newer version of Parley has used it. ` +
        'Run that version or a newer one, or choose another database (DATABASE_URL, or DATA_DIR of npm start).',
    );
  if (replaced.length === 0) return;
  if (replaced.length < REPLACED_COUNT)
    throw new Error(
      `The database is too old for this version (its last migration is ${replaced.at(-1)}): first run the release step of ` +
        `version 0.1.0 at commit ${LAST_COMMIT_BEFORE}, which upgrades it to ${LAST_REPLACED}.`,
    );
  const missing = baseline.filter(({ name }) => !applied.includes(name));
  if (missing.length === 0) return;
  await tx('knex_migrations').insert(
    missing.map(({ name }) => ({ name, batch: 1, migration_time: tx.fn.now() })),
  );
}
