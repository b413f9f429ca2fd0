import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { readableLineOf } from '../../platform/readable-line.ts';

/** Whether a line of a process is meant for the launcher only, and is not printed. */
export type LineReader = (line: string) => boolean;

export interface ProcessPlan {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Starts a process in our process group. Its lines are printed under its name, JSON lines unchanged for log
 * collectors, and readable on a terminal. The unused IPC channel closes when we die, even by kill -9, which tells the child.
 */
export function spawnChild(
  { name, command, env }: ProcessPlan,
  isForUs?: LineReader,
  isErrorForUs?: LineReader,
): ChildProcess {
  const [program = '', ...args] = command;
  const child = spawn(program === 'node' ? process.execPath : program, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  relay(child.stdout, name, process.stdout, isForUs);
  relay(child.stderr, name, process.stderr, isErrorForUs);
  return child;
}

function relay(from: Readable | null, name: string, to: NodeJS.WriteStream, isForUs?: LineReader): void {
  if (!from) return;
  createInterface({ input: from }).on('line', line => {
    if (isForUs?.(line)) return;
    to.write(`${shownLineOf(line, name, to.isTTY)}\n`);
  });
}

function shownLineOf(line: string, name: string, isTerminal: boolean): string {
  const readable = isTerminal ? readableLineOf(line) : undefined;
  return readable ?? (line.startsWith('{') ? line : lineUnder(name, line));
}

export function lineUnder(name: string, line: string): string {
  return `${name.padEnd(8)}| ${line}`;
}
