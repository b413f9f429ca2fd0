import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { isAlive } from '../../db/embedded/postmaster.ts';
import { ensureDatabase, startEmbedded } from '../../db/embedded.ts';
import { migrateQueues } from '../../queues/transport/backend.ts';
import { provideCluster } from '../support/cached-cluster.ts';
import { makeDataFolder } from '../support/data-folders.ts';
import { eventually } from '../support/eventually.ts';
import type { QueueStore } from '../support/queue-store.ts';

/** A PostgreSQL for one test, with the demonstration hosts and the queues. */
export interface OwnPostgres {
  readonly store: QueueStore;
  /** SIGSTOP: connections stay open, and nothing is answered until it continues. */
  freeze(): void;
  goOn(): void;
  kill(): Promise<void>;
  /** Where it does not run: with its data, on another port. */
  start(): Promise<void>;
  drop(): Promise<void>;
}

interface OwnPostgresOptions {
  readonly settings?: Record<string, string>;
  /** An empty folder. */
  readonly dataDir?: string;
}

export async function makeOwnPostgres(options: OwnPostgresOptions = {}): Promise<OwnPostgres> {
  const { settings = {}, dataDir: given } = options;
  const dataDir = given ?? (await makeDataFolder());
  await provideCluster(dataDir);
  let server = await startEmbedded(dataDir, { settings });
  const databaseUrl = await ensureDatabase(server.url, 'template_seeded');
  await migrateQueues(databaseUrl);
  const tell = (signal: NodeJS.Signals) => {
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(server.pid)], { encoding: 'utf8' });
    // `ps` may list a process that has already exited.
    for (const pid of [server.pid, ...children.trim().split(/\s+/).map(Number)])
      try {
        process.kill(pid, signal);
      } catch {}
  };
  const urlNow = () => Object.assign(new URL(databaseUrl), { port: server.port }).href;
  return {
    get store() {
      return { redisUrl: undefined, databaseUrl: urlNow(), storedText: async () => '', drop: async () => {} };
    },
    freeze: () => tell('SIGSTOP'),
    goOn: () => tell('SIGCONT'),
    async kill() {
      tell('SIGKILL');
      await eventually(() => isAlive(server.pid), false);
    },
    async start() {
      server = await startEmbedded(dataDir, { settings });
    },
    async drop() {
      tell('SIGCONT');
      await server.stop();
      if (given === undefined) await rm(dataDir, { recursive: true });
    },
  };
}
