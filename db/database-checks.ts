import { errorOfLogin } from '../platform/refused-login.ts';
import { findAccessDifferences } from './access/access-differences.ts';
import type { Db } from './connection.ts';
import { migrations } from './migrations/list.ts';
import { rowsOf } from './rows-of.ts';

/** At the start of a process the machine may be busy with others. */
const START_PING_MS = 15_000;

/** Resolves when the database answers within the limit; rejects otherwise. */
export async function ping(db: Db, limitMs = 1_000): Promise<void> {
  await db.raw('select 1').timeout(limitMs);
}

/** Rejects with the error of the setting if the database refuses the login of DATABASE_URL. */
export async function checkLogin(db: Db): Promise<void> {
  await ping(db, START_PING_MS).catch((error: unknown) => {
    throw errorOfLogin('DATABASE_URL', error);
  });
}

/** Also rejects if the database is not as the release of this code makes it. */
export async function checkAtStart(db: Db): Promise<void> {
  await checkLogin(db);
  await assertMigrated(db);
}

const FILLER_BYTES = 6_000;

/**
 * Rejects if the database cannot store a new row. With a full disk, a row may still be updated if its page has room, so this
 * inserts one that needs a new page, and takes it back.
 */
export async function probeWrites(db: Db): Promise<void> {
  const tx = await db.transaction();
  try {
    await rowsOf(tx)`insert into write_probe (filler) values (repeat('-', ${FILLER_BYTES}))`;
  } finally {
    await tx.rollback();
  }
}

const NO_SUCH_TABLE = '42P01';

const RELEASE = 'run the release step, node dist/commands/migrate.js';

/**
 * Rejects with a message for operators if the schema is older than this code, or if roles or policies are missing, as after a
 * restored backup. A newer schema is accepted: this may be a restart during a release.
 */
export async function assertMigrated(db: Db): Promise<void> {
  const done = await listAppliedMigrations(db);
  const missing = migrations.filter(({ name }) => !done.has(name));
  if (missing.length === 0) return assertAccess(db);
  const first = missing[0]?.name;
  const which = missing.length === 1 ? first : `${first} and ${missing.length - 1} more`;
  throw new Error(`the database lacks the migration ${which}: ${RELEASE}`);
}

async function assertAccess(db: Db): Promise<void> {
  const subjects = (await findAccessDifferences(db))
    .filter(({ isWording }) => !isWording)
    .map(({ subject }) => subject);
  if (subjects.length === 0) return;
  const which = subjects.length === 1 ? subjects[0] : `${subjects[0]} and ${subjects.length - 1} more`;
  throw new Error(`row-level security is incomplete (${which}): ${RELEASE}`);
}

async function listAppliedMigrations(db: Db): Promise<Set<string>> {
  try {
    const done = await rowsOf<{ name: string }>(db)`select name from knex_migrations`;
    return new Set(done.map(({ name }) => name));
  } catch (error) {
    if ((error as { code?: string }).code === NO_SUCH_TABLE) return new Set();
    throw error;
  }
}
