import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { WRONG_SETTING_CODE } from '../../platform/setting-error.ts';

/** Says whether a line of a process was meant for the launcher alone, and is not shown. */
export type LineReader = (line: string) => boolean;

export interface ProcessPlan {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Starts a process in our own process group. Its lines appear among ours under its name; JSON is passed as it is, for whoever
 * collects logs. It is given a channel to us that carries nothing: when it closes, even by kill -9, the process knows we are gone.
 */
export function spawnNamed({ name, command, env }: ProcessPlan, isForUs?: LineReader): ChildProcess {
  const [program = '', ...args] = command;
  const child = spawn(program === 'node' ? process.execPath : program, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  relay(child.stdout, name, process.stdout, isForUs);
  relay(child.stderr, name, process.stderr);
  return child;
}

/** In words; undefined when it ended well. */
export interface ProcessEnd {
  readonly trouble: string | undefined;
  /** It ended for a setting that no restart makes right. */
  readonly isWrongSetting: boolean;
}

export function endOf(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise(resolve => {
    child.once('error', error => resolve({ trouble: error.message, isWrongSetting: false }));
    child.once('exit', (code, signal) => {
      const trouble = code === 0 ? undefined : (signal ?? `exit code ${code}`);
      resolve({ trouble, isWrongSetting: code === WRONG_SETTING_CODE });
    });
  });
}

/** Asks it to end, and makes it end when `hurry` fires. */
export async function stopProcess(child: ChildProcess, hurry: AbortSignal): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise(resolve => child.once('exit', resolve));
  const kill = () => child.kill('SIGKILL');
  child.kill('SIGTERM');
  if (hurry.aborted) kill();
  hurry.addEventListener('abort', kill);
  await exited;
  hurry.removeEventListener('abort', kill);
}

function relay(from: Readable | null, name: string, to: Writable, isForUs?: LineReader): void {
  if (!from) return;
  createInterface({ input: from }).on('line', line => {
    if (isForUs?.(line)) return;
    to.write(line.startsWith('{') ? `${line}\n` : `${name.padEnd(8)}| ${line}\n`);
  });
}
