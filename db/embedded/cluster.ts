import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findBinaries } from './binaries.ts';
import { isAlive } from './postmaster.ts';
import {
  CTYPE,
  findServerUser,
  makeServerSpawnOptions,
  type ServerUser,
  serverPathOf,
} from './server-user.ts';

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

/** Opens the cluster of this data folder, and creates it if there is none. */
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

const PASSWORD_FILE = 'superuser-password';

async function makeClusterIn(dataDir: string, folder: string): Promise<void> {
  const user = await findServerUser(folder);
  await mkdir(folder, { mode: 0o700 });
  await changeOwner(folder, user);
  const password = randomBytes(24).toString('hex');
  await initdb(dataDir, folder, user, password);
  await writeFile(join(folder, PASSWORD_FILE), password, { mode: 0o600 });
}

async function initdb(dataDir: string, folder: string, user: ServerUser, password: string): Promise<void> {
  const bin = await findBinaries(user);
  const passwordFile = join(dataDir, `.password-${randomBytes(6).toString('hex')}`);
  await writeFile(passwordFile, password, { mode: 0o600 });
  await changeOwner(passwordFile, user);
  const standardInput = await open(passwordFile);
  await rm(passwordFile);
  const args = ['-D', serverPathOf(folder), '-U', 'postgres', '--pwfile=/dev/stdin', '--auth=scram-sha-256'];
  const locale = ['--encoding=UTF8', `--locale=${CTYPE}`, '--locale-provider=builtin'];
  const child = spawn(join(bin, 'initdb'), [...args, ...locale, '--builtin-locale=C.UTF-8'], {
    ...makeServerSpawnOptions(folder, user),
    stdio: [standardInput.fd, 'pipe', 'pipe'],
  });
  try {
    await waitForSuccess(child);
  } finally {
    await standardInput.close();
  }
}

async function waitForSuccess(child: ChildProcess): Promise<void> {
  let output = '';
  child.stdout?.resume();
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  if (code !== 0) throw new Error(`initdb failed (${code}): ${output.trim()}`);
}

/** Deletes folders that killed starters left. */
async function removeIncomplete(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const maker = /^pg\.new-(\d+)-/.exec(name)?.[1];
    if (maker && !isAlive(Number(maker))) await rm(join(dataDir, name), { recursive: true, force: true });
  }
}

async function changeOwner(path: string, { uid, gid }: ServerUser): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
