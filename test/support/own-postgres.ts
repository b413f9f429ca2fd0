import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { ensureDatabase, startEmbedded } from '../../db/embedded.ts';
import { migrateQueues } from '../../queues/transport/backend.ts';
import { provideCluster } from './cached-cluster.ts';
import { makeDataFolder } from './data-folders.ts';
import type { QueueStore } from './queue-store.ts';

/** A PostgreSQL for one test, with the demonstration hosts and the queues. */
export interface OwnPostgres {
  readonly store: QueueStore;
  /** SIGSTOP: connections stay open, and nothing is answered until it continues. */
  freeze(): void;
  goOn(): void;
  stop(): Promise<void>;
}

export async function makeOwnPostgres(settings: Record<string, string> = {}): Promise<OwnPostgres> {
  const dataDir = await makeDataFolder();
  await provideCluster(dataDir);
  const server = await startEmbedded(dataDir, { settings });
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
  return {
    store: { redisUrl: undefined, databaseUrl, storedText: async () => '', drop: async () => {} },
    freeze: () => tell('SIGSTOP'),
    goOn: () => tell('SIGCONT'),
    async stop() {
      tell('SIGCONT');
      await server.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}
