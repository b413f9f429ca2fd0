import { Command } from 'commander';
import { provideHostLogin } from '../db/access/provide-host-login.ts';
import { connect, type Db } from '../db/connection.ts';
import { checkLogin } from '../db/database-checks.ts';
import { migrate } from '../db/migrate.ts';
import { seed } from '../db/seed.ts';
import { migrateVectors } from '../db/vectors/migrate-vectors.ts';
import { type Config, readConfig } from '../platform/config.ts';
import { SettingError, WRONG_SETTING_CODE } from '../platform/field-error.ts';
import type { SecretKeys } from '../platform/seal.ts';
import { CONNECT_WITHIN_MS, startWithAttempts } from '../platform/start-attempts.ts';
import { exitOnWeakSecrets } from '../platform/weak-secrets.ts';
import { migrateQueues } from '../queues/transport/backend.ts';
import { findDatabaseUrl } from './database-url.ts';
import { sealSecretsAnew } from './seal-anew.ts';

const options = new Command('migrate')
  .description('Migrates the database to the newest schema; data is kept.')
  .option('--seed', 'fill an empty database with the demonstration hosts', false)
  .option('--seed-new', 'the same, without a word where it has hosts', false)
  .parse()
  .opts<{ seed: boolean; seedNew: boolean }>();

try {
  const config = readConfig();
  exitOnWeakSecrets(config);
  await migrateAll(await findDatabaseUrl(config), config);
  process.stdout.write('The database is up to date.\n');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof SettingError ? WRONG_SETTING_CODE : 1;
}

async function migrateAll(url: string, config: Config): Promise<void> {
  const { redisUrl, openaiEmbeddingModel, secretKey, secretKeyPrevious } = config;
  const db = connect(url, {
    max: 2,
    applicationName: 'parley-migrate',
    acquireWithinMs: CONNECT_WITHIN_MS,
    // A migration may process all rows.
    answerWithinMs: 6 * 3_600_000,
  });
  try {
    const warn = ({ reason }: { reason: string }) => printLine(`Waiting for the database: ${reason}`);
    await startWithAttempts({ warn }, () => checkLogin(db));
    const advised = await migrate(db);
    for (const statement of advised) printLine(`An administrator should run in that database: ${statement};`);
    if (secretKey !== undefined) await useKeys(db, { secretKey, secretKeyPrevious });
    if (openaiEmbeddingModel !== undefined) await prepareVectors(db);
    if (redisUrl === undefined) await migrateQueues(url);
    if ((options.seed || options.seedNew) && !(await seedDemo(db)) && options.seed)
      printLine('Nothing was seeded: the database has hosts, and --seed fills an empty one only.');
  } finally {
    await db.destroy();
  }
}

/** False if the database has hosts already. */
async function seedDemo(db: Db): Promise<boolean> {
  // Loaded on demand: most releases seed nothing.
  const { seedPast } = await import('./demo/seed-past.ts');
  return (await seed(db, seedPast)).length > 0;
}

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Makes the login of the workers. Without it they use the owner's, which loses one layer of protection. */
async function useKeys(db: Db, keys: SecretKeys): Promise<void> {
  const reason = await provideHostLogin(db, keys.secretKey, keys.secretKeyPrevious);
  if (reason !== undefined)
    printLine(`The workers will use this database user for all their work: ${reason}`);
  for (const line of await sealSecretsAnew(db, keys)) printLine(line);
}

/** Only reports a failure: everything else works without vectors. */
async function prepareVectors(db: Db): Promise<void> {
  const reason = await migrateVectors(db).catch((error: Error) => error.message);
  if (reason !== undefined) printLine(`OPENAI_EMBEDDING_MODEL cannot be used: ${reason}`);
}
