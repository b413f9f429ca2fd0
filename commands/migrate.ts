import { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { connect, type Db } from '../db/connection.ts';
import { migrate } from '../db/migrate.ts';
import { seed } from '../db/seed.ts';
import { migrateVectors } from '../db/vectors/migrate-vectors.ts';
import { migrateQueues } from '../queues/backend.ts';
import { databaseUrlOf } from './database-url.ts';

const options = new Command('migrate')
  .description('Brings the database to the newest schema; what is there stays.')
  .option('--seed', 'fill an empty database with the demonstration hosts', false)
  .parse()
  .opts<{ seed: boolean }>();

try {
  const config = readConfig();
  await bringUpToDate(await databaseUrlOf(config), config);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function bringUpToDate(url: string, { redisUrl, openaiEmbeddingModel }: Config): Promise<void> {
  const db = connect(url, { max: 2, applicationName: 'parley-migrate' });
  try {
    await migrate(db);
    if (openaiEmbeddingModel !== undefined) await prepareVectors(db);
    if (redisUrl === undefined) await migrateQueues(url);
    if (options.seed) await seed(db);
  } finally {
    await db.destroy();
  }
}

/** Without them all else works, so it only says so. */
async function prepareVectors(db: Db): Promise<void> {
  const reason = await migrateVectors(db).catch((error: Error) => error.message);
  if (reason !== undefined) process.stderr.write(`OPENAI_EMBEDDING_MODEL cannot be used: ${reason}\n`);
}
