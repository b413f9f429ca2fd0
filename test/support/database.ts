import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type Db } from '../../db/connection.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { migrateQueues } from '../../queues/transport/backend.ts';
import { provideCluster, volatileSettings } from './cached-cluster.ts';
import { makeDataFolder, removeLeftovers } from './data-folders.ts';
import { atRunEnd } from './run-end.ts';

/*
 * One PostgreSQL for each process of a run, started by the first test that needs it, from a copy of a cluster with the
 * templates. Each test file clones a template, which takes milliseconds, and drops its clone. An open connection at that time is a leak: the file, or
 * the run at its end, fails and names it.
 */

export interface TestDatabase {
  readonly url: string;
  readonly db: Db;
  readonly drop: () => Promise<void>;
}

/** `migrated` has every table without rows, `seeded` also the demonstration hosts, `empty` no tables. */
export type Template = 'migrated' | 'seeded' | 'empty';

interface TestServer {
  readonly url: string;
  readonly admin: Db;
  /** Templates with the tables of the queues, too, each made when it is first needed: making the tables takes longer than a copy. */
  readonly withQueues: Map<Template, Promise<string>>;
  readonly stop: () => Promise<void>;
}

const graceMs = 2_000;
/** A busy machine may take longer to connect than the service may. */
const patient = { acquireWithinMs: 60_000, connectWithinMs: 60_000 };
const taken = new Set<string>();
let running: Promise<TestServer> | undefined;

export interface DatabaseOptions {
  /** True: it stays until the process ends, for all its test files. */
  readonly isShared?: boolean;
  /** True: it has the tables of the queues, too. */
  readonly hasQueues?: boolean;
}

export async function makeDatabase(
  template: Template = 'migrated',
  { isShared = false, hasQueues = false }: DatabaseOptions = {},
): Promise<TestDatabase> {
  running ??= startServer();
  const server = await running;
  const source = hasQueues ? await provideWithQueues(server, template) : sourceOf(template);
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = await clone(server, source, name);
  if (!isShared) taken.add(name);
  const db = connect(url, { ...patient, applicationName: 'parley-test' });
  return { url, db, drop: () => dropDatabase(server.admin, name, db) };
}

function sourceOf(template: Template): string {
  return template === 'empty' ? 'template0' : `template_${template}`;
}

function provideWithQueues(server: TestServer, template: Template): Promise<string> {
  const make = async () => {
    const name = `template_${template}_queues`;
    await migrateQueues(await clone(server, sourceOf(template), name));
    return name;
  };
  const made = server.withQueues.get(template) ?? make();
  server.withQueues.set(template, made);
  return made;
}

async function clone({ admin, url }: TestServer, source: string, name: string): Promise<string> {
  await admin.raw(`create database ${name} template ${source} strategy file_copy`);
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

// A process of `--parallel` has a channel to its parent. Its run ends with each file, and its server goes on.
atRunEnd(async () => {
  if (!process.connected) await stopTestServer();
  assertDatabasesDropped();
});

async function stopTestServer(): Promise<void> {
  const server = await running;
  running = undefined;
  await server?.stop();
}

function assertDatabasesDropped(): void {
  const left = taken.size;
  taken.clear();
  if (left > 0) throw new Error(`${left} test database(s) were never dropped.`);
}

async function startServer(): Promise<TestServer> {
  await removeLeftovers();
  const dataDir = await makeDataFolder();
  await provideCluster(dataDir);
  const server = await startEmbedded(dataDir, { settings: volatileSettings });
  const admin = connect(server.url, { ...patient, max: 2, applicationName: 'parley-test-admin' });
  return {
    url: server.url,
    admin,
    withQueues: new Map(),
    stop: async () => {
      await admin.destroy();
      await server.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

async function dropDatabase(admin: Db, name: string, db: Db): Promise<void> {
  await db.destroy();
  const left = await sessionsLeft(admin, name);
  await admin.raw(`drop database ${name} with (force)`);
  taken.delete(name);
  if (left.length > 0) throw new Error(`Connections were left open: ${left.join(', ')}`);
}

/** A closed connection may remain visible for a moment. */
async function sessionsLeft(admin: Db, name: string): Promise<string[]> {
  const giveUpAt = Date.now() + graceMs;
  for (;;) {
    const sessions = await rowsOf<{ name: string; query: string }>(admin)`
      select application_name as name, left(query, 80) as query from pg_stat_activity
      where datname = ${name} and backend_type = 'client backend'`;
    if (sessions.length === 0 || Date.now() > giveUpAt) {
      return sessions.map(session => `${session.name || 'unnamed'} (${session.query})`);
    }
    await delay(10);
  }
}
