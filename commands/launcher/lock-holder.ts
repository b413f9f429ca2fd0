import { readFileSync } from 'node:fs';

/** Identifies the process that holds the lock. Pids are reused after a reboot, so the start time is stored too. */
export interface Holder {
  readonly pid: number;
  readonly startedAt: string;
}

export function holderOf(text: string): Holder | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The start time of the process, comparable only with itself; empty when the process is gone. */
export function startOf(pid: number): string {
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
