import { connect, type Db } from '../db/connection.ts';
import { assertMigrated } from '../db/ping.ts';
import { readConfig } from '../platform/config.ts';
import { findDatabaseUrl } from './database-url.ts';

/** Runs a command on the configured database; an error prints one line and sets exit code 1. */
export async function withDatabase(work: (db: Db) => Promise<void>): Promise<void> {
  try {
    const db = connect(await findDatabaseUrl(readConfig()), {
      max: 2,
      applicationName: 'parley-command',
      // Some statements of commands process all rows of a host.
      answerWithinMs: 3_600_000,
    });
    try {
      await assertMigrated(db);
      await work(db);
    } finally {
      await db.destroy();
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
