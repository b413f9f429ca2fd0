import { readFileSync, rmSync } from 'node:fs';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Whoever holds it is alive: process ids come back after a reboot, so the process's start time is kept beside it. */
interface Holder {
  readonly pid: number;
  readonly startedAt: string;
}

/**
 * One launcher for a data folder. The lock outlives kill -9 as a file, but not as a lock. Gives the function that releases
 * it; throws when another launcher lives.
 */
export async function takeStartLock(dataDir: string): Promise<() => void> {
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

/** Unlike a rename this never replaces, and unlike an exclusive open the file has its content from the first moment. */
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
    throw new Error(`Parley already runs on this data folder (process ${holder.pid})`);
  }
  const aside = `${path}.dead-${process.pid}`;
  await rename(path, aside).catch(() => {});
  // Between our look and the move another starter may have taken its place: then it gets it back.
  const moved = await readFile(aside, 'utf8').catch(() => found);
  if (moved !== found) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}

function holderOf(text: string): Holder | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** When the process started, on a clock that only needs to differ between processes; empty when it is gone. */
function startOf(pid: number): string {
  try {
    process.kill(pid, 0);
    // The name in the second field may hold spaces and brackets; the start is the twentieth field after it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? '' : (fields[19] ?? 'unknown');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    return code === 'ESRCH' ? '' : 'unknown';
  }
}
