import { randomBytes } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode, makeClusterIn, PASSWORD_FILE, removeIncomplete } from './create-cluster.ts';

/** A PostgreSQL data folder and the password of its superuser. */
export interface Cluster {
  readonly dataDir: string;
  readonly folder: string;
  readonly password: string;
}

export async function openCluster(dataDir: string): Promise<Cluster | undefined> {
  const folder = join(dataDir, 'pg');
  try {
    return { dataDir, folder, password: await readFile(join(folder, PASSWORD_FILE), 'utf8') };
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    if (isCode(error, 'EACCES')) throw new Error(`${folder} belongs to another user`, { cause: error });
    throw error;
  }
}

/** Opens the cluster of this data folder, creating it where there is none. */
export async function ensureCluster(dataDir: string): Promise<Cluster> {
  const found = await openCluster(dataDir);
  if (found) return found;
  await removeIncomplete(dataDir);
  const folder = join(dataDir, `pg.new-${process.pid}-${randomBytes(3).toString('hex')}`);
  try {
    await makeClusterIn(dataDir, folder);
    await rename(folder, join(dataDir, 'pg'));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (!isCode(error, 'ENOTEMPTY') && !isCode(error, 'EEXIST')) throw error;
  }
  const cluster = await openCluster(dataDir);
  if (!cluster) throw new Error(`${join(dataDir, 'pg')} exists, but is not a database of Parley`);
  return cluster;
}
