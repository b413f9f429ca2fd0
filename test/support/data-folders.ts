import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../db/embedded/is-alive.ts';

const memory = '/dev/shm';
const enoughBytes = 4 * 1024 ** 3;

/**
 * For a PostgreSQL of this process. In memory if there is room: a database is 400 files, and a file system may need a
 * millisecond for each.
 */
export async function makeDataFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  const parent = bavail * bsize > enoughBytes ? memory : tmpdir();
  return mkdtemp(join(parent, `parley-test-${process.pid}-`));
}

/** Ends their servers too: a server is a separate process, and keeps running when a test run is killed. */
export async function removeLeftovers(): Promise<void> {
  for (const parent of [memory, tmpdir()])
    for (const name of await readdir(parent).catch(() => [])) {
      const [, pid] = /^parley-test-(\d+)-/.exec(name) ?? [];
      if (pid === undefined || isAlive(Number(pid))) continue;
      const dataDir = join(parent, name);
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
