import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect } from '../../db/connection.ts';
import { isCode } from '../../db/embedded/cluster.ts';
import { isAlive } from '../../db/embedded/postmaster.ts';
import { ensureDatabase, startEmbedded } from '../../db/embedded.ts';
import { migrate } from '../../db/migrate.ts';
import { seed } from '../../db/seed.ts';
import { root } from './source-files.ts';

/*
 * A PostgreSQL cluster with the databases template_migrated and template_seeded, made once and then copied. Its name in
 * the cache is a hash of all that it was made from. It gets that name when it is complete, so a killed run leaves
 * nothing that is used, and of two runs that make it at once the second one discards its own.
 */

const run = promisify(execFile);
const cache = join(root, 'node_modules', '.cache', 'parley-test-clusters');
const unusedForMs = 24 * 60 * 60 * 1_000;

/** `db` imports these folders and packages only (test/architecture.test.ts); the last file lists what is installed. */
const folders = ['db', 'platform'];
const files = ['test/support/cached-cluster.ts', 'package.json', 'node_modules/.package-lock.json'];

/** For a server whose data may be lost. */
export const volatileSettings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  // Clones are copied as files; by default each of their pages would be written to the WAL.
  wal_level: 'minimal',
  max_wal_senders: '0',
  // Each visit to a database is a session, and there are a dozen: at our own interval, a tenth of all processor time. A test
  // whose plans need statistics asks for them.
  autovacuum_naptime: '60s',
};

/** Puts the cluster into an empty data folder, for `startEmbedded`. */
export async function provideCluster(dataDir: string): Promise<void> {
  const key = readKey();
  if (key !== undefined && (await copyFromCache(key, dataDir))) return;
  await makeCluster(dataDir);
  if (key !== undefined && key === readKey())
    await addToCache(key, fresh => copy(join(dataDir, 'pg'), fresh));
}

/** The bytes that `make` gives for these migrations, kept under this name beside the cluster. */
export async function provideBytes(name: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
  const key = readKey();
  if (key === undefined) return make();
  const folder = `${key}-${name}`;
  const kept = await readFile(join(cache, folder, 'bytes')).catch(() => undefined);
  if (kept) return kept;
  const made = await make();
  await addToCache(folder, async fresh => {
    await mkdir(fresh);
    await writeFile(join(fresh, 'bytes'), made);
  });
  return made;
}

/** Undefined if a source changed after this process started, which may have loaded the source before. */
function readKey(): string | undefined {
  const { platform, arch, version } = process;
  const hash = createHash('sha256').update([platform, arch, version, process.geteuid?.()].join());
  for (const path of [...folders.flatMap(listFolder), ...files]) {
    const found = statSync(join(root, path));
    if (found.ctimeMs > performance.timeOrigin) return undefined;
    hash.update(`\0${path}\0`);
    if (found.isFile()) hash.update(readFileSync(join(root, path)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Lists the folders too, which change when a file is deleted. */
function listFolder(folder: string): string[] {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return [folder, ...paths.toSorted().map(path => join(folder, path))];
}

async function copyFromCache(key: string, dataDir: string): Promise<boolean> {
  try {
    await utimes(join(cache, key), new Date(), new Date());
    await copy(join(cache, key), join(dataDir, 'pg'));
    return true;
  } catch {
    // There is none, or it is being removed.
    await rm(join(dataDir, 'pg'), { recursive: true, force: true });
    return false;
  }
}

async function makeCluster(dataDir: string): Promise<void> {
  const server = await startEmbedded(dataDir, { settings: volatileSettings });
  const migrated = connect(await ensureDatabase(server.url, 'template_migrated'));
  await migrate(migrated);
  await migrated.destroy();
  const admin = connect(server.url);
  // A client hashes the password as often as that for each connection, and a service opens dozens.
  await admin.raw(`set scram_iterations = 1; alter role postgres password '${new URL(server.url).password}'`);
  await admin.raw('create database template_seeded template template_migrated');
  await admin.destroy();
  const seeded = connect(await ensureDatabase(server.url, 'template_seeded'));
  await seed(seeded);
  await seeded.destroy();
  await server.stop();
}

async function addToCache(name: string, fill: (fresh: string) => Promise<void>): Promise<void> {
  await mkdir(cache, { recursive: true });
  // Another run may remove the same ones.
  await removeUnused().catch(() => {});
  const fresh = temporaryPath();
  await fill(fresh);
  try {
    // Otherwise a crash of the machine could leave the name without the contents.
    await run('sync');
    await rename(fresh, join(cache, name));
  } catch (error) {
    await rm(fresh, { recursive: true });
    // Another run was first, or the machine has no such command: then nothing is kept.
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].some(code => isCode(error, code))) throw error;
  }
}

/** Removes those that no run used for a day, and what killed runs left. */
async function removeUnused(): Promise<void> {
  for (const name of await readdir(cache)) {
    const path = join(cache, name);
    const [, maker] = /^temporary-(\d+)-/.exec(name) ?? [];
    if (maker ? isAlive(Number(maker)) : (await stat(path)).mtimeMs > Date.now() - unusedForMs) continue;
    // Renamed first: a run that is copying it fails, instead of getting a part.
    const removed = temporaryPath();
    await rename(path, removed);
    await rm(removed, { recursive: true });
  }
}

function temporaryPath(): string {
  return join(cache, `temporary-${process.pid}-${randomBytes(3).toString('hex')}`);
}

/** Keeps the owner of the files, who runs the server. */
async function copy(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to]);
}
