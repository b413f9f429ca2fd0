import { isAlive } from '../../db/embedded/is-alive.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { repeat } from '../../platform/repeat.ts';
import { printLine } from './print-line.ts';

const POLL_EVERY_MS = 1_000;

export interface DatabaseSupervisor {
  /** The database `postgres`. */
  readonly url: string;
  stop(graceMs: number): Promise<void>;
}

/** Runs the embedded database and restarts it on the same port when it is killed. */
export async function superviseDatabase(dataDir: string): Promise<DatabaseSupervisor> {
  let server = await startEmbedded(dataDir);
  const settings = { port: String(server.port) };
  const reviveIfDead = async () => {
    if (isAlive(server.pid)) return;
    printLine('database exited; restarting it');
    server = await startEmbedded(dataDir, { settings });
    printLine('database restarted');
  };
  const stopping = new AbortController();
  const watch = repeat(reviveIfDead, {
    everyMs: POLL_EVERY_MS,
    signal: stopping.signal,
    onError: error => printLine(String(error)),
  });
  return {
    url: server.url,
    async stop(graceMs) {
      stopping.abort();
      await watch;
      await server.stop(graceMs);
    },
  };
}
