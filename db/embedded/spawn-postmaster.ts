import { spawn } from 'node:child_process';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import getPort from 'get-port';
import { findBinaries } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { findPostmaster, type Postmaster } from './postmaster.ts';
import { findServerUser, makeServerSpawnOptions, serverPathOf } from './server-user.ts';

const POLL_EVERY_MS = 15;
const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

/** Transient failures: the port was taken, another starter won, or children of a killed server are still exiting. */
const TRANSIENT_FAILURE =
  /Address already in use|lock file "postmaster\.pid" (already exists|is empty)|pre-existing shared memory block/;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Until autovacuum analyzes a table, plans assume that it is empty; the default interval is a minute.
  autovacuum_naptime: '5s',
  // Failed statements and the rows that they name contain personal data, so only messages of the server itself are
  // logged.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/**
 * Starts the server in its own session, so that Ctrl-C does not stop it before its clients, and returns it when it is ready.
 * Returns undefined after a transient failure.
 */
export async function spawnPostmaster(
  cluster: Cluster,
  settings: Record<string, string>,
  giveUpAt: number,
): Promise<Postmaster | undefined> {
  const user = await findServerUser(cluster.folder);
  const bin = await findBinaries(user);
  const log = await openLog(cluster.dataDir);
  const { size: logStart } = await log.stat();
  try {
    const child = spawn(join(bin, 'postgres'), await argumentsFor(cluster, settings), {
      ...makeServerSpawnOptions(cluster.folder, user),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    child.unref();
    const ended = new Promise<Error | true>(resolve =>
      child.once('error', resolve).once('exit', () => resolve(true)),
    );
    while (Date.now() < giveUpAt) {
      const end = await Promise.race([ended, new Promise<false>(go => setTimeout(go, POLL_EVERY_MS, false))]);
      if (end instanceof Error) throw end;
      if (end) return throwUnlessTransient(await textFrom(log, logStart));
      const found = await findPostmaster(cluster.folder);
      if (found?.isReady && found.pid === child.pid) return found;
    }
    return undefined;
  } finally {
    await log.close();
  }
}

async function argumentsFor(cluster: Cluster, settings: Record<string, string>): Promise<string[]> {
  // Process lists show the data folder, which the server itself sees under another path.
  const port = String(await getPort({ host: SETTINGS.listen_addresses }));
  const ours = { ...SETTINGS, 'parley.data_dir': cluster.dataDir, port };
  const flags = Object.entries({ ...ours, ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  return ['-D', serverPathOf(cluster.folder), ...flags];
}

function throwUnlessTransient(output: string): undefined {
  if (TRANSIENT_FAILURE.test(output)) return undefined;
  throw new Error(`PostgreSQL did not start: ${output.trim()}`);
}

async function openLog(dataDir: string): Promise<FileHandle> {
  const path = join(dataDir, 'postgres.log');
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size > LOG_LIMIT_BYTES) await rename(path, `${path}.1`);
  return open(path, 'a+', 0o600);
}

async function textFrom(log: FileHandle, start: number): Promise<string> {
  const { size } = await log.stat();
  const { buffer, bytesRead } = await log.read(Buffer.alloc(Math.max(0, size - start)), 0, null, start);
  return buffer.toString('utf8', 0, bytesRead);
}
