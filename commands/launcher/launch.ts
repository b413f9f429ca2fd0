import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { whenAborted } from '../../platform/link-signals.ts';
import { findWeakSecrets } from '../../platform/weak-secrets.ts';
import { type RunningParts, stopAll } from './database-supervisor.ts';
import { printGreeting } from './print-greeting.ts';
import { printLine } from './print-line.ts';
import { type Launch, startParts } from './start-parts.ts';
import {
  endOf,
  lineUnder,
  type ProcessPlan,
  SupervisedProcess,
  spawnChild,
  stopProcess,
} from './supervised-process.ts';

/*
 * Runs everything on one machine. Parts that the settings do not name are started here: the database, the queue (in
 * the database), the model. Order: lock, database, model, `release` once, then the supervised processes. On a signal
 * the processes are stopped first, then the database, then the lock is released; a start that fails halfway stops in
 * the same order.
 */

/** Runs until it is stopped, and leaves nothing running. Throws if the start fails. */
export async function launch(plan: Launch, signals: StopSignals): Promise<void> {
  assertStrongSecrets(plan);
  const dataDir = resolve(plan.config.dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const unlock = await takeStartLock(dataDir);
  const running: RunningParts = { processes: [] };
  try {
    const env = await startParts(plan, dataDir, running, signals.stop);
    await startProcesses(plan.procfile, env, running, signals);
    void printGreeting(env, dataDir, running, signals.stop);
    await Promise.race([whenAborted(signals.stop), ...running.processes.map(({ failed }) => failed)]);
  } catch (error) {
    if (!signals.stop.aborted) throw error;
  } finally {
    await stopAll(running, signals.forceStop);
    unlock();
  }
}

/** Without this check, each process would refuse them, again and again. */
function assertStrongSecrets({ config }: Launch): void {
  const [line] = findWeakSecrets(config);
  if (line) throw new Error(line);
}

/**
 * Allows one launcher per data folder. After kill -9 the file remains, but no longer locks. Returns the function that releases
 * the lock; throws if another launcher runs.
 */
async function takeStartLock(dataDir: string): Promise<() => void> {
  const path = join(dataDir, 'launcher.pid');
  const mine = JSON.stringify({ pid: process.pid, startedAt: startOf(process.pid) } satisfies Holder);
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, mine, { mode: 0o600 });
  try {
    while (!(await isLinked(draft, path))) await clearIfDead(path);
  } finally {
    await rm(draft, { force: true });
  }
  return () => rmSync(path, { force: true });
}

/** `link` never replaces a file, unlike rename, and the file appears with its content, unlike an exclusive open. */
async function isLinked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function clearIfDead(path: string): Promise<void> {
  const found = await readFile(path, 'utf8').catch(() => undefined);
  if (found === undefined) return;
  const holder = holderOf(found);
  if (holder && startOf(holder.pid) === holder.startedAt) {
    throw new Error(
      `Parley already runs on this data folder (process ${holder.pid}): use that one, stop it, or set DATA_DIR to another folder`,
    );
  }
  const aside = `${path}.dead-${process.pid}`;
  await rename(path, aside).catch(() => {});
  // Another starter may have taken the lock between the check and the rename: then its file is restored.
  const moved = await readFile(aside, 'utf8').catch(() => found);
  if (moved !== found) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}

/** The process that holds the lock. Pids are reused after a reboot, so the start time identifies it, too. */
interface Holder {
  readonly pid: number;
  readonly startedAt: string;
}

function holderOf(text: string): Holder | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The start time of the process, comparable only with itself; empty if the process is gone. */
function startOf(pid: number): string {
  try {
    process.kill(pid, 0);
    // The name in the second field may contain spaces and brackets; the start time is the twentieth field after it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? '' : (fields[19] ?? 'unknown');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    return code === 'ESRCH' ? '' : 'unknown';
  }
}

async function startProcesses(
  procfile: string,
  env: NodeJS.ProcessEnv,
  running: RunningParts,
  signals: StopSignals,
): Promise<void> {
  const lines = parseProcfile(await readFile(procfile, 'utf8'));
  printLine('migrating the database');
  for (const line of lines.filter(isRelease)) {
    // Demonstration hosts are inserted into the embedded database only.
    const command = running.database ? [...line.command, '--seed-new'] : line.command;
    await runOnce({ ...line, command, env }, signals);
  }
  printLine(
    `starting ${lines
      .filter(line => !isRelease(line))
      .map(({ name }) => name)
      .join(', ')}`,
  );
  for (const line of lines.filter(line => !isRelease(line))) {
    running.processes.push(new SupervisedProcess(() => ({ ...line, env })));
  }
}

function isRelease({ name }: ProcfileLine): boolean {
  return name === 'release';
}

/** Runs a process to its end; throws if it fails or `stop` is aborted. */
async function runOnce(plan: ProcessPlan, { stop, forceStop }: StopSignals): Promise<void> {
  // The last line of a failing process gives the reason and the remedy: it is held back to become the launcher's error.
  let last: string | undefined;
  const printLast = () => last !== undefined && process.stderr.write(`${lineUnder(plan.name, last)}\n`);
  const child = spawnChild(plan, undefined, line => {
    printLast();
    last = line;
    return true;
  });
  const closed = once(child, 'close');
  const end = endOf(child);
  const interrupt = () => void stopProcess(child, forceStop);
  stop.addEventListener('abort', interrupt);
  const { reason } = await end;
  await closed;
  stop.removeEventListener('abort', interrupt);
  stop.throwIfAborted();
  if (reason) throw new Error(`${plan.name} failed (${reason})${last === undefined ? '' : `: ${last}`}`);
  printLast();
}

interface ProcfileLine {
  readonly name: string;
  /** Program and arguments, without a shell. */
  readonly command: readonly string[];
}

/** Parses lines `name: command`; ignores empty lines and comments (`#`). */
export function parseProcfile(text: string): ProcfileLine[] {
  const lines = text.split('\n').map(line => line.trim());
  return lines.filter(line => line && !line.startsWith('#')).map(parseLine);
}

function parseLine(line: string): ProcfileLine {
  const [, name, command] = /^([A-Za-z0-9_-]+):\s*(\S.*)$/.exec(line) ?? [];
  if (!name || !command) throw new Error(`Procfile: not "name: command": ${line}`);
  return { name, command: command.split(/\s+/) };
}

/** Ctrl-C arrives twice within this time: from the terminal, which signals the group, and from npm, which forwards it. */
const SAME_PRESS_MS = 500;

export interface StopSignals {
  readonly stop: AbortSignal;
  /** Aborted by a second Ctrl-C, which means: stop at once. */
  readonly forceStop: AbortSignal;
}

/** Handles signals, which no longer end this process: the caller must. */
export function listenForStop(): StopSignals {
  const stop = new AbortController();
  const forceStop = new AbortController();
  let firstAt = 0;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      firstAt ||= Date.now();
      stop.abort();
      if (signal === 'SIGINT' && Date.now() - firstAt > SAME_PRESS_MS) forceStop.abort();
    });
  }
  return { stop: stop.signal, forceStop: forceStop.signal };
}
