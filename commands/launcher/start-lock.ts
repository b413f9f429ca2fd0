import { rmSync } from 'node:fs';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Holder, holderOf, startOf } from './lock-holder.ts';

/**
 * Allows one launcher for a data folder. After kill -9 the file remains, but no longer locks. Returns the function
 * that releases the lock; throws when another launcher runs.
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
    throw new Error(`Parley already runs on this data folder (process ${holder.pid})`);
  }
  const aside = `${path}.dead-${process.pid}`;
  await rename(path, aside).catch(() => {});
  // Another starter may have taken the lock between the check and the rename: then its file is restored.
  const moved = await readFile(aside, 'utf8').catch(() => found);
  if (moved !== found) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}
