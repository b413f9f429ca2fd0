import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The result that the runner sends; a suite is a test file. */
export interface SuitesRun {
  readonly passed: number;
  readonly failed: number;
  readonly pending: number;
  readonly suites: number;
  readonly failedSuites: number;
  /** Failed suites that did not load. */
  readonly brokenSuites: number;
}

export interface SuitesOptions {
  /** Regular expressions; '' matches all. */
  readonly testPathPattern: string;
  readonly testNamePattern: string;
  readonly coverage: boolean;
}

const RUNNER = join('test', 'runner', 'run-suites.ts');
const COVERAGE = join('node_modules', 'c8', 'bin', 'c8.js');
const MAX_MS = 600_000;
const STOPPING_MS = 15_000;

/** Production installations have neither the tests nor their runner. */
export function hasRunner(): boolean {
  return [RUNNER, COVERAGE, join('node_modules', 'tsx'), join('node_modules', 'mocha')].every(path =>
    existsSync(path),
  );
}

/**
 * Runs the tests in a child process for at most 10 minutes, or until `gone`. Returns the result and the coverage as JSON
 * text ('' if not requested); undefined if the child exited without a result.
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
    const run = await runChild(args, AbortSignal.any([gone, AbortSignal.timeout(MAX_MS)]), stoppingMs);
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
  // A process group: c8 starts the tests as its own child, and both must be killed.
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
  // A test that blocks the event loop ignores SIGTERM and would outlive c8.
  if (stopped.aborted) killGroup(child.pid);
  return run;
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // The group has already exited.
  }
}
