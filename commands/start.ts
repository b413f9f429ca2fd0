import { Command } from 'commander';
import { dropEmptySettings, readConfig } from '../platform/config.ts';
import { launch, listenForStop } from './launcher/launch.ts';
import { printLine } from './launcher/print-line.ts';

const { procfile } = new Command('start')
  .description('Runs Parley on this machine, with embedded parts for those that are not set.')
  .option('--procfile <path>', 'file with the processes to run', 'Procfile')
  .parse()
  .opts<{ procfile: string }>();

// A closed terminal must not end the launcher before its children.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const parentEnv = { APP_ENV: 'development', ...dropEmptySettings() };
const config = readConfig(parentEnv);
const signals = listenForStop();
try {
  await launch({ config, parentEnv, procfile }, signals);
  process.exit(0);
} catch (error) {
  printLine(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
