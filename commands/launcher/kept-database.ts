import { isAlive } from '../../db/embedded/postmaster.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { say } from './say.ts';

const LOOK_EVERY_MS = 1_000;

export interface KeptDatabase {
  /** The database `postgres`. */
  readonly url: string;
  stop(graceMs: number): Promise<void>;
}

/** Runs the embedded database and restarts it on the same port when it is killed. */
export async function keepDatabase(dataDir: string): Promise<KeptDatabase> {
  let server = await startEmbedded(dataDir);
  const settings = { port: String(server.port) };
  let revival: Promise<void> | undefined;
  const revive = async () => {
    say('the database has ended and is started again');
    server = await startEmbedded(dataDir, { settings });
    say('the database is up again');
  };
  const watch = setInterval(() => {
    if (isAlive(server.pid)) return;
    revival ??= revive()
      .catch((error: unknown) => say(String(error)))
      .finally(() => {
        revival = undefined;
      });
  }, LOOK_EVERY_MS);
  return {
    url: server.url,
    async stop(graceMs) {
      clearInterval(watch);
      await revival;
      await server.stop(graceMs);
    },
  };
}
