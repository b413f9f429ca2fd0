import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Client, escapeIdentifier } from 'pg';
import { type Cluster, ensureCluster, isCode, openCluster } from './embedded/cluster.ts';
import { findPostmaster, isAlive, type Postmaster, removeStalePidFile } from './embedded/postmaster.ts';
import { spawnPostmaster } from './embedded/spawn-postmaster.ts';

/*
 * An embedded PostgreSQL server for one data folder, for machines without a server.
 *
 * The folder `pg` in the data folder is in one of four states, by its postmaster.pid:
 *   absent    initdb creates it under another name and renames it, so that a killed initdb leaves nothing incomplete;
 *   stopped   no pid file, or one of a dead process or another program (kill -9, then a reboot):
 *             the server is started and recovers by itself;
 *   moving    its process lives but is not ready (recovery, shutdown, another starter): wait;
 *   ready     it accepts the password of the folder: it is reused, whoever started it.
 * Two concurrent starters end with one server: PostgreSQL locks the folder, and the loser checks again.
 */

const START_TIMEOUT_MS = 120_000;
const POLL_EVERY_MS = 20;

export interface EmbeddedServer {
  /** The URL of the database `postgres`, as superuser. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Closes sessions and stops the server; after `graceMs` by an immediate shutdown, which is crash-safe. */
  stop(graceMs?: number): Promise<void>;
}

/** Starts the server of this data folder, or reuses the running one (`settings` then have no effect). */
export async function startEmbedded(
  dataDir: string,
  options: { settings?: Record<string, string> } = {},
): Promise<EmbeddedServer> {
  await mkdir(resolve(dataDir), { recursive: true, mode: 0o700 });
  const cluster = await ensureCluster(resolve(dataDir));
  const { pid, port } = await waitForPostmaster(cluster, options.settings ?? {});
  return {
    port,
    pid,
    url: urlOf(cluster, port),
    stop: (graceMs = 20_000) => stopPostmaster(cluster.folder, pid, graceMs),
  };
}

/** Returns the running server of this data folder, if it answers. */
export async function findEmbedded(dataDir: string): Promise<{ url: string; port: number } | undefined> {
  const cluster = await openCluster(resolve(dataDir));
  const found = cluster && (await findPostmaster(cluster.folder));
  if (!cluster || !found?.isReady || !(await isAnswering(cluster, found))) return undefined;
  return { url: urlOf(cluster, found.port), port: found.port };
}

/** Creates the database unless it exists; returns its URL. */
export async function ensureDatabase(url: string, name: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (!rowCount) await client.query(`create database ${escapeIdentifier(name)}`);
  } catch (error) {
    if (!isDuplicateDatabase(error)) throw error;
  } finally {
    await client.end();
  }
  const databaseUrl = new URL(url);
  databaseUrl.pathname = `/${encodeURIComponent(name)}`;
  return databaseUrl.href;
}

async function waitForPostmaster(cluster: Cluster, settings: Record<string, string>): Promise<Postmaster> {
  const timeoutAt = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < timeoutAt) {
    const found = await findPostmaster(cluster.folder);
    if (found?.isReady && (await isAnswering(cluster, found))) return found;
    if (!found || found.isReady) await removeStalePidFile(cluster.folder, found);
    const started = found ? undefined : await spawnPostmaster(cluster, settings, timeoutAt);
    if (started) return started;
    await new Promise(again => setTimeout(again, POLL_EVERY_MS));
  }
  throw new Error(`PostgreSQL in ${cluster.folder} was not ready within ${START_TIMEOUT_MS / 1000} s`);
}

/** Returns false only if the port certainly belongs to another server: connection refused, or another password. */
async function isAnswering(cluster: Cluster, { port }: Postmaster): Promise<boolean> {
  const client = new Client({
    connectionString: urlOf(cluster, port),
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    return !['ECONNREFUSED', '28P01'].some(code => isCode(error, code));
  } finally {
    await client.end().catch(() => {});
  }
}

function urlOf({ password }: Cluster, port: number): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
}

/** Concurrent `create database` fails with one of two codes. */
function isDuplicateDatabase(error: unknown): boolean {
  return ['42P04', '23505'].some(code => isCode(error, code));
}

async function stopPostmaster(folder: string, pid: number, graceMs: number): Promise<void> {
  if ((await findPostmaster(folder))?.pid !== pid) return;
  signal(pid, 'SIGINT');
  if (await isGoneWithin(pid, graceMs)) return;
  // SIGQUIT shuts down immediately: nothing committed is lost, the next start recovers.
  signal(pid, 'SIGQUIT');
  if (!(await isGoneWithin(pid, 10_000))) throw new Error(`PostgreSQL (process ${pid}) does not stop`);
}

async function isGoneWithin(pid: number, ms: number): Promise<boolean> {
  const giveUpAt = Date.now() + ms;
  while (isAlive(pid) && Date.now() < giveUpAt) {
    await new Promise(again => setTimeout(again, POLL_EVERY_MS));
  }
  return !isAlive(pid);
}

function signal(pid: number, name: NodeJS.Signals): void {
  if (isAlive(pid)) process.kill(pid, name);
}
