import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type Db } from '../../db/connection.ts';
import { ensureDatabase, startEmbedded } from '../../db/embedded.ts';
import { migrate } from '../../db/migrate.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { seed } from '../../db/seed.ts';
import { killServer, removeLeftovers } from './leftovers.ts';
import { atRunEnd } from './run-end.ts';

/*
 * One PostgreSQL for each process of a run, started by the first test that needs it. Each test file clones a migrated
 * template, which takes milliseconds, and drops its clone. An open connection at that time is a leak: the file, or
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
  readonly templates: Map<Template, Promise<string>>;
  readonly stop: () => Promise<void>;
}

const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  // Clones are copied as files; by default each of their pages would be written to the WAL.
  wal_level: 'minimal',
  max_wal_senders: '0',
};
const graceMs = 2_000;
const taken = new Set<string>();
let running: Promise<TestServer> | undefined;

export async function makeDatabase(template: Template = 'migrated'): Promise<TestDatabase> {
  running ??= startServer();
  const { url: serverUrl, admin, templates } = await running;
  if (!templates.has(template)) templates.set(template, makeTemplate(serverUrl, template));
  const source = await templates.get(template);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await admin.raw(`create database ${name} template ${source} strategy file_copy`);
  taken.add(name);
  const url = await ensureDatabase(serverUrl, name);
  const db = connect(url, { applicationName: 'parley-test' });
  return { url, db, drop: () => dropDatabase(admin, name, db) };
}

// A process of `--parallel` has a channel to its parent. Its run ends with each file, and its server goes on.
atRunEnd(async () => {
  if (!process.connected) await stopTestServer();
  assertDatabasesDropped();
});

export async function stopTestServer(): Promise<void> {
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
  const dataDir = await mkdtemp(join(tmpdir(), `parley-test-${process.pid}-`));
  const server = await startEmbedded(dataDir, { settings });
  const killLeftover = () => killServer(dataDir);
  process.once('exit', killLeftover);
  const admin = connect(server.url, { max: 2, applicationName: 'parley-test-admin' });
  return {
    url: server.url,
    admin,
    templates: new Map(),
    stop: async () => {
      await admin.destroy();
      await server.stop();
      process.off('exit', killLeftover);
      await rm(dataDir, { recursive: true });
    },
  };
}

async function makeTemplate(serverUrl: string, template: Template): Promise<string> {
  if (template === 'empty') return 'template0';
  const url = await ensureDatabase(serverUrl, `template_${template}`);
  const db = connect(url);
  await migrate(db);
  if (template === 'seeded') await seed(db);
  await db.destroy();
  return `template_${template}`;
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
