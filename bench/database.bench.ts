import { randomBytes } from 'node:crypto';
import { provideHostLogin } from '../db/access/provide-host-login.ts';
import { insertAvatar } from '../db/assistants/avatars.ts';
import { type ConnectOptions, connect, type Db } from '../db/connection.ts';
import { ensureDatabase, startEmbedded } from '../db/embedded.ts';
import { createHost } from '../db/hosts/hosts.ts';
import { makeToken } from '../db/hosts/token-text.ts';
import { insertToken } from '../db/hosts/tokens.ts';
import { migrate } from '../db/migrate.ts';
import { seed } from '../db/seed.ts';
import { withHost } from '../db/with-hosts.ts';
import type { TokenScope } from '../queues/contract/operation.ts';
import { migrateQueues } from '../queues/transport/backend.ts';
import { makeFolder, processorMsOf } from './stores.bench.ts';

/** Every process and command here uses it: the login for the database's hosts follows from it. */
export const SECRET_KEY = randomBytes(32).toString('hex');

interface BenchDatabase {
  readonly url: string;
  readonly db: Db;
  /** Milliseconds of processor time that the server has used. */
  processorMs(): Promise<number>;
  /** Stops the server and deletes its data. */
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL for one measurement, with all tables including the queues, the login as in production, and no
 * hosts.
 */
export async function startDatabase(options?: ConnectOptions): Promise<BenchDatabase> {
  const folder = await makeFolder();
  const server = await startEmbedded(folder.path);
  const url = await ensureDatabase(server.url, 'bench');
  const db = connect(url, options);
  await migrate(db);
  await migrateQueues(url);
  const refusal = await provideHostLogin(db, SECRET_KEY);
  if (refusal) throw new Error(refusal);
  const stop = async () => {
    await db.destroy();
    await server.stop();
    await folder.remove();
  };
  return { url, db, processorMs: () => processorMsOf(server.pid), stop };
}

/** Creates a host with an avatar and returns its id. */
export async function makeHost(db: Db, slug = 'bench'): Promise<string> {
  const host = await createHost(db, { slug, name: 'Bench' });
  if (!host) throw new Error('There is a host for this measurement already.');
  await withHost(db, host.id, scope => insertAvatar(scope, { sub_slug: 'bench', avatar_name: 'Bench' }));
  return host.id;
}

/** Stores the demonstration hosts; returns the ids of the first, and a token for its turns. */
export async function seedDemo(db: Db): Promise<{ hostId: string; avatarId: string; token: string }> {
  const [demo] = await seed(db);
  if (!demo) throw new Error('There is no demonstration host.');
  return { ...demo, token: await tokenFor(db, demo.hostId, 'reason') };
}

export async function tokenFor(db: Db, hostId: string, scope: TokenScope): Promise<string> {
  const { text, hash } = makeToken();
  await insertToken(db, { name: 'bench', hash, scopes: [scope], expiresAt: null, hostIds: [hostId] });
  return text;
}
