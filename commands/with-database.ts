import { connect, type Db } from '../db/connection.ts';
import { readConfig } from '../platform/config.ts';
import { databaseUrlOf } from './database-url.ts';

/** Runs a command on the database that the settings name; an error ends it with one line and exit code 1. */
export async function withDatabase(work: (db: Db) => Promise<void>): Promise<void> {
  try {
    const db = connect(await databaseUrlOf(readConfig()), {
      max: 2,
      applicationName: 'parley-command',
      // A few statements of commands go through all that a host has.
      answerWithinMs: 3_600_000,
    });
    try {
      await work(db);
    } finally {
      await db.destroy();
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
