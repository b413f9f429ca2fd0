import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the runner sends when it is through; a suite is a file. */
export interface SuitesRun {
  readonly passed: number;
  readonly failed: number;
  readonly pending: number;
  readonly suites: number;
  readonly failedSuites: number;
  /** Of the failed ones those that did not even load. */
  readonly brokenSuites: number;
}

export interface SuitesOptions {
  /** Regular expressions; '' for all. */
  readonly testPathPattern: string;
  readonly testNamePattern: string;
  readonly coverage: boolean;
}

const RUNNER = join('test', 'runner', 'run-suites.ts');
const COVERAGE = join('node_modules', 'c8', 'bin', 'c8.js');
const LONGEST_MS = 600_000;
const STOPPING_MS = 15_000;

/** An installation for production has neither the tests nor what runs them. */
export function hasRunner(): boolean {
  return [RUNNER, COVERAGE, join('node_modules', 'tsx'), join('node_modules', 'mocha')].every(path =>
    existsSync(path),
  );
}

/**
 * Runs the project's tests in a child process, for 10 minutes at most or until `gone`. Gives what came of them, and the
 * coverage as JSON text ('' where none was wanted); undefined when the child ended without a result.
 */
export async function runSuites(
  { testPathPattern, testNamePattern, coverage }: SuitesOptions,
  gone: AbortSignal,
  stoppingMs = STOPPING_MS,
): Promise<(SuitesRun & { coverageMap: string }) | undefined> {
  const scratch = await mkdtemp(join(tmpdir(), 'parley-coverage-'));
  const report = [
    '--reporter',
    'json-summary',
    '--reports-dir',
    scratch,
    '--temp-directory',
    join(scratch, 'raw'),
  ];
  const covered = coverage ? [COVERAGE, ...report, process.execPath] : [];
  const args = [...covered, '--import', 'tsx', RUNNER, testPathPattern, testNamePattern];
  try {
    const run = await runChild(args, AbortSignal.any([gone, AbortSignal.timeout(LONGEST_MS)]), stoppingMs);
    const coverageMap = coverage
      ? await readFile(join(scratch, 'coverage-summary.json'), 'utf8').catch(() => '')
      : '';
    return run && { ...run, coverageMap };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function runChild(
  args: readonly string[],
  stopped: AbortSignal,
  stoppingMs: number,
): Promise<SuitesRun | undefined> {
  // A group of its own: what counts coverage starts the tests as its child, and both have to go.
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
  });
  let run: SuitesRun | undefined;
  child.on('message', message => (run = message as SuitesRun));
  let killTimer: NodeJS.Timeout | undefined;
  const stop = () => {
    child.kill('SIGTERM');
    killTimer = setTimeout(() => killGroup(child.pid), stoppingMs);
  };
  if (stopped.aborted) stop();
  stopped.addEventListener('abort', stop, { once: true });
  await once(child, 'exit');
  stopped.removeEventListener('abort', stop);
  clearTimeout(killTimer);
  // A test that never yields hears no signal, and would outlive the one that was to pass it on.
  if (stopped.aborted) killGroup(child.pid);
  return run;
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // Nobody is left of it.
  }
}
