import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { IBackoffFactory } from 'cockatiel';
import { WRONG_SETTING_CODE } from '../../platform/field-error.ts';
import { readableLineOf } from '../../platform/readable-line.ts';
import { makeBackoff } from '../../platform/repeat.ts';
import { printLine } from './print-line.ts';

const RESTART_BACKOFF = makeBackoff(500, 5_000);
const HEALTHY_AFTER_MS = 10_000;
/** With the pauses between them, these take a minute. */
const MAX_QUICK_EXITS = 15;

/**
 * A supervised process: running, in backoff before a restart, or stopped. The backoff doubles with each early exit
 * and is reset once the process has stayed up. One that never stays up fails: whoever runs the launcher decides then.
 */
export class SupervisedProcess {
  readonly #stopped = new AbortController();
  #child: ChildProcess | undefined;
  /** Rejects if the process exits because of a wrong setting, or again and again: a restart would not help. */
  readonly failed: Promise<never>;

  /** Called at each start. */
  constructor(plan: () => ProcessPlan, isForUs?: LineReader, backoff = RESTART_BACKOFF) {
    this.failed = this.#supervise(plan, isForUs, backoff).then(() => new Promise<never>(() => {}));
    // Prevents an unhandled rejection before the caller awaits it.
    this.failed.catch(() => {});
  }

  async stop(forceStop: AbortSignal): Promise<void> {
    this.#stopped.abort();
    if (this.#child) await stopProcess(this.#child, forceStop);
  }

  async #supervise(
    planOf: () => ProcessPlan,
    isForUs: LineReader | undefined,
    backoff: IBackoffFactory<void>,
  ): Promise<void> {
    const { signal } = this.#stopped;
    let nextBackoff = backoff;
    let quickExits = 0;
    while (!signal.aborted) {
      const startedAt = Date.now();
      const plan = planOf();
      this.#child = spawnChild(plan, isForUs);
      const end = await endOf(this.#child);
      this.#child = undefined;
      if (end.isWrongSetting && !signal.aborted)
        throw new Error(`${plan.name} cannot run with these settings: see its messages above`);
      quickExits += 1;
      if (Date.now() - startedAt >= HEALTHY_AFTER_MS) [nextBackoff, quickExits] = [backoff, 0];
      if (quickExits === MAX_QUICK_EXITS && !signal.aborted)
        throw new Error(
          `${plan.name} exits at once each time (${end.reason ?? 'exit code 0'}): see its messages above`,
        );
      const pause = nextBackoff.next();
      nextBackoff = pause;
      // A signal to the process group may end the child before it reaches this process: the backoff covers that too.
      await delay(pause.duration, undefined, { signal }).catch(() => {});
      if (!signal.aborted) printLine(`${plan.name} exited (${end.reason ?? 'exit code 0'}); restarting it`);
    }
  }
}

/** Reads a line that a process means for the launcher only; true if it is not to be printed. */
type LineReader = (line: string) => boolean;

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

/** `reason` is a message; undefined after a clean exit. */
interface ProcessEnd {
  readonly reason: string | undefined;
  /** Whether a wrong setting caused the exit: a restart does not help then. */
  readonly isWrongSetting: boolean;
}

export function endOf(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise(resolve => {
    child.once('error', error => resolve({ reason: error.message, isWrongSetting: false }));
    child.once('exit', (code, signal) => {
      const reason = code === 0 ? undefined : (signal ?? `exit code ${code}`);
      resolve({ reason, isWrongSetting: code === WRONG_SETTING_CODE });
    });
  });
}

/** Sends SIGTERM, and SIGKILL when `forceStop` is aborted. */
export async function stopProcess(child: ChildProcess, forceStop: AbortSignal): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise(resolve => child.once('exit', resolve));
  const kill = () => child.kill('SIGKILL');
  child.kill('SIGTERM');
  if (forceStop.aborted) kill();
  forceStop.addEventListener('abort', kill);
  await exited;
  forceStop.removeEventListener('abort', kill);
}
