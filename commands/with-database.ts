import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { connect, type Db } from '../db/connection.ts';
import { checkAtStart } from '../db/database-checks.ts';
import { type Actor, setActor } from '../db/hosts/actor.ts';
import { findHostBySlug } from '../db/hosts/hosts.ts';
import { type Config, readConfig } from '../platform/config.ts';
import { SettingError } from '../platform/field-error.ts';
import { CONNECT_WITHIN_MS } from '../platform/start-attempts.ts';
import { findDatabaseUrl } from './database-url.ts';

/** Runs a command on the configured database; an error prints one line and sets exit code 1. */
export async function withDatabase(work: (db: Db) => Promise<void>): Promise<void> {
  try {
    const db = connect(await findDatabaseUrl(readConfig()), {
      max: 2,
      applicationName: 'parley-command',
      acquireWithinMs: CONNECT_WITHIN_MS,
      // Some statements of commands process all rows of a host.
      answerWithinMs: 3_600_000,
    });
    try {
      await checkAtStart(db);
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
 * Runs a command that changes something in one transaction, whose audit rows name it; prints the result of `work` once that is
 * committed.
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

export async function findHostId(db: Db, slug: string): Promise<string> {
  const host = await findHostBySlug(db, slug);
  if (!host) throw new Error(`There is no host "${slug}".`);
  return host.id;
}

/** Says which conversations `erase` and `export-person` leave out. */
export function leftText(ids: readonly string[]): string {
  const text =
    ids.length === 1
      ? '1 conversation with an identifier of theirs was left, because it names'
      : `${ids.length} conversations with an identifier of theirs were left, because they name`;
  return `${text} another e-mail: ${ids.join(', ')}`;
}

/** The key of the installation, or the one in the data folder if it is embedded. */
export async function findSecretKey({ secretKey, dataDir }: Config): Promise<string> {
  const key = secretKey ?? (await readFile(join(dataDir, 'secret-key'), 'utf8').catch(() => '')).trim();
  if (key) return key;
  throw new SettingError(`No key: set SECRET_KEY, or run npm start on the data folder ${dataDir} first.`);
}
