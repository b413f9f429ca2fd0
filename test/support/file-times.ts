import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { testServerPid } from './data-folders.ts';

/*
 * With `--parallel` a process runs one file after another, so the time of a file, its loading included, is the time since
 * the one before. Processor time is of the process, of its PostgreSQL and of all that they started.
 */

interface FileTime {
  readonly file: string;
  readonly seconds: number;
  readonly coreSeconds: number;
  readonly tests: number;
}

/** The file to which the processes of a run write; inherited by them. */
const LIST = 'TEST_TIMES_FILE';
/** A hundredth of a second: the clock tick of /proc. */
const TICKS_A_SECOND = 100;

let before = { at: performance.now(), ticks: 0 };

/** In the process that starts the others, before it does. */
export function collectFileTimes(): void {
  process.env[LIST] = join(mkdtempSync(join(tmpdir(), 'parley-times-')), 'times');
}

export function noteFileTime(file: string, tests: number): void {
  const list = process.env[LIST];
  if (list === undefined) return;
  const now = { at: performance.now(), ticks: ticksUsed() };
  const time: FileTime = {
    file: relative(process.cwd(), file),
    seconds: (now.at - before.at) / 1_000,
    coreSeconds: (now.ticks - before.ticks) / TICKS_A_SECOND,
    tests,
  };
  before = now;
  appendFileSync(list, `${JSON.stringify(time)}\n`);
}

/** The dearest files by processor time, a line each; all of them with `all`. */
export function fileTimesText(count: number): string {
  const list = process.env[LIST];
  if (list === undefined) return '';
  const times = readLines(list).map(line => JSON.parse(line) as FileTime);
  rmSync(join(list, '..'), { recursive: true });
  const sum = times.reduce((total, { coreSeconds }) => total + coreSeconds, 0);
  const dearest = times.toSorted((a, b) => b.coreSeconds - a.coreSeconds).slice(0, count);
  const lines = dearest.map(({ file, seconds, coreSeconds, tests }) =>
    [coreSeconds.toFixed(1), seconds.toFixed(1), tests, file].map(cell => String(cell).padStart(6)).join(' '),
  );
  return [
    `${times.length} files, ${sum.toFixed(0)} core-seconds`,
    '  core   wall  tests file',
    ...lines,
  ].join('\n');
}

function readLines(list: string): string[] {
  try {
    return readFileSync(list, 'utf8').trimEnd().split('\n');
  } catch {
    return [];
  }
}

/** Of this process, its PostgreSQL and their children, ended ones included; nothing where there is no /proc. */
function ticksUsed(): number {
  const roots = new Set([process.pid, testServerPid()]);
  const stats = processes()
    .map(pid => statOf(pid))
    .filter(stat => stat !== undefined);
  const parents = new Map(stats.map(({ pid, parent }) => [pid, parent]));
  const belongs = (pid: number | undefined): boolean =>
    pid !== undefined && (roots.has(pid) || belongs(parents.get(pid)));
  return stats.filter(({ pid }) => belongs(pid)).reduce((sum, { ticks }) => sum + ticks, 0);
}

function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function statOf(pid: number): { pid: number; parent: number; ticks: number } | undefined {
  try {
    // The name of a process, in brackets, may contain anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ').map(Number) ?? [];
    const [parent = 0] = fields.slice(1);
    return { pid, parent, ticks: fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) };
  } catch {
    return undefined;
  }
}
