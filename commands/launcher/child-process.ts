import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** Whether a line of a process is meant for the launcher only, and is not printed. */
export type LineReader = (line: string) => boolean;

export interface ProcessPlan {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Starts a process in our process group. Its lines are printed under its name, JSON lines unchanged for log
 * collectors. The unused IPC channel closes when we die, even by kill -9, which tells the child.
 */
export function spawnChild({ name, command, env }: ProcessPlan, isForUs?: LineReader): ChildProcess {
  const [program = '', ...args] = command;
  const child = spawn(program === 'node' ? process.execPath : program, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  relay(child.stdout, name, process.stdout, isForUs);
  relay(child.stderr, name, process.stderr);
  return child;
}

function relay(from: Readable | null, name: string, to: Writable, isForUs?: LineReader): void {
  if (!from) return;
  createInterface({ input: from }).on('line', line => {
    if (isForUs?.(line)) return;
    to.write(line.startsWith('{') ? `${line}\n` : `${name.padEnd(8)}| ${line}\n`);
  });
}
