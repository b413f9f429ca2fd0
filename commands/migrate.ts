import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { connect } from '../db/connection.ts';
import { migrate } from '../db/migrate.ts';
import { seed } from '../db/seed.ts';
import { migrateQueues } from '../queues/backend.ts';
import { databaseUrlOf } from './database-url.ts';

const options = new Command('migrate')
  .description('Brings the database to the newest schema; what is there stays.')
  .option('--seed', 'fill an empty database with the demonstration hosts', false)
  .parse()
  .opts<{ seed: boolean }>();

try {
  const config = readConfig();
  await bringUpToDate(await databaseUrlOf(config), config.redisUrl === undefined);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function bringUpToDate(url: string, holdsQueues: boolean): Promise<void> {
  const db = connect(url, { max: 2, applicationName: 'parley-migrate' });
  try {
    await migrate(db);
    if (holdsQueues) await migrateQueues(url);
    if (options.seed) await seed(db);
  } finally {
    await db.destroy();
  }
}
