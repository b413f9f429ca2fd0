import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { argsOf } from './program.ts';
import type { Service } from './service.ts';

export interface Command {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let running: ChildProcess | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command with exactly these settings, after those before it. All run in one process beside this one, since to start one for
 * each takes a second.
 */
export function runCommand(
  name: string,
  args: readonly string[],
  settings: Record<string, string>,
): Promise<Command> {
  const command = last.then(() => runNow(name, args, settings));
  last = command.catch(() => undefined);
  return command;
}

async function runNow(name: string, args: readonly string[], settings: Record<string, string>) {
  const options = argsOf(`commands/${name}.ts`);
  const program = pathToFileURL(options.pop() ?? '').href;
  running ??= fork(join(import.meta.dirname, 'command-process.mjs'), { execArgv: options });
  const answer = once(running, 'message');
  running.send({ program, args, settings });
  running.ref();
  const [command] = (await answer) as [Command];
  // The process of the tests may end without it.
  running.unref();
  running.channel?.unref();
  return command;
}

/** The settings of a service, as a command takes them. */
export function settingsOf(
  { settings: { databaseUrl, secretKey } }: Pick<Service, 'settings'>,
  dataDir: string,
): Record<string, string> {
  return { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey, DATA_DIR: dataDir, PATH: '/usr/bin:/bin' };
}
