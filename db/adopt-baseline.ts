import type { Knex } from 'knex';
import { baseline, migrations } from './migrations/list.ts';

/** The migrations that the baseline replaced: their number, and the last of them. */
const REPLACED_COUNT = 35;
const LAST_REPLACED = '0037-search-outbox-indexes';
const LAST_COMMIT_BEFORE = 'e34cdd3';

const known = new Set(migrations.map(({ name }) => name));

/**
 * Records the baseline as applied in a database that the replaced migrations built, which has the same schema. Their rows
 * stay: running processes of the previous version look for them, and would no longer be ready without them. Throws, with
 * one line for operators, if a replaced migration is missing, or if a newer version has migrated the database.
 */
export async function adoptBaseline(tx: Knex.Transaction): Promise<void> {
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
