import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { argsOf } from './program.ts';

export interface Command {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const root = join(import.meta.dirname, '..', '..');

/** Runs a command in its own process with exactly these settings. */
export function runCommand(
  name: string,
  args: readonly string[],
  settings: Record<string, string>,
): Promise<Command> {
  const program = [...argsOf(`commands/${name}.ts`), ...args];
  return new Promise(resolve => {
    const child = execFile(process.execPath, program, { cwd: root, env: settings }, (_error, out, err) => {
      resolve({ code: child.exitCode ?? -1, out, err });
    });
  });
}
