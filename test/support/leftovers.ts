import { readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The servers of processes that ended before them: a server is a separate process that keeps running. */
export async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = /^parley-test-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const dataDir = join(tmpdir(), name);
    killServer(dataDir);
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  }
}

export function killServer(dataDir: string): void {
  try {
    process.kill(Number.parseInt(readFileSync(join(dataDir, 'pg', 'postmaster.pid'), 'utf8'), 10), 'SIGQUIT');
  } catch {
    // Already removed.
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
