import { userInfo } from 'node:os';
import type { Knex } from 'knex';
import { connect, type Db } from '../db/connection.ts';
import { assertMigrated } from '../db/database-checks.ts';
import { type Actor, setActor } from '../db/hosts/actor.ts';
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

/**
 * Runs a command that changes something, in one transaction whose audit rows name it, and prints what `work` returns once
 * that is committed.
 */
export function withTransaction(
  operation: string,
  work: (tx: Knex.Transaction) => Promise<string>,
): Promise<void> {
  return withDatabase(async db => {
    const done = await db.transaction(async tx => {
      await setActor(tx, commandActorOf(operation));
      return work(tx);
    });
    console.log(done);
  });
}

/** The operating-system user who runs a command, such as `host set`. */
export function commandActorOf(operation: string): Actor {
  return { kind: 'command', name: userName(), operation };
}

/** A container may run under a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}
