import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../db/embedded/postmaster.ts';

const memory = '/dev/shm';
const enoughBytes = 4 * 1024 ** 3;
let folder: string | undefined;

/**
 * For a PostgreSQL of this process. In memory if there is room: a database is 400 files, and a file system may need a
 * millisecond for each.
 */
export async function makeDataFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  const parent = bavail * bsize > enoughBytes ? memory : tmpdir();
  const made = await mkdtemp(join(parent, `parley-test-${process.pid}-`));
  process.once('exit', () => removeFolder(made));
  folder = made;
  return made;
}

/** The process of the last PostgreSQL that this process has started for its tests. */
export function testServerPid(): number | undefined {
  return folder === undefined ? undefined : serverPid(folder);
}

/** Ends the servers of the folders, too: a server is a separate process, and keeps running when a test run is killed. */
export async function removeLeftovers(): Promise<void> {
  for (const parent of [memory, tmpdir()])
    for (const name of await readdir(parent).catch(() => [])) {
      const [, pid] = /^parley-test-(\d+)-/.exec(name) ?? [];
      if (pid !== undefined && !isAlive(Number(pid))) removeFolder(join(parent, name));
    }
}

/** Also ends its server. One that has not noted its process yet ends by itself, when it misses its folder. */
function removeFolder(dataDir: string): void {
  try {
    const pid = serverPid(dataDir);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
  try {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // A server that is still ending writes into it: the next run removes it.
  }
}

function serverPid(dataDir: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(join(dataDir, 'pg', 'postmaster.pid'), 'utf8'), 10);
  } catch {
    return undefined;
  }
}
