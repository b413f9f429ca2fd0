import { isAlive } from '../../db/embedded/postmaster.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { repeat } from '../../platform/repeat.ts';
import { ALL_ENDS_WITHIN_MS, CHILDREN_END_WITHIN_MS } from '../../platform/shutdown-limits.ts';
import { printLine } from './print-line.ts';
import { SupervisedProcess } from './supervised-process.ts';

const POLL_EVERY_MS = 1_000;

export interface DatabaseSupervisor {
  /** Leads to the database `postgres`. */
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

export interface RunningParts {
  readonly processes: SupervisedProcess[];
  database?: DatabaseSupervisor;
}

export async function stopAll(
  { processes, database }: RunningParts,
  forcedByUser: AbortSignal,
): Promise<void> {
  const startedAt = Date.now();
  const forceStop = AbortSignal.any([forcedByUser, AbortSignal.timeout(CHILDREN_END_WITHIN_MS)]);
  await Promise.all(processes.map(process => process.stop(forceStop)));
  const leftMs = ALL_ENDS_WITHIN_MS - (Date.now() - startedAt);
  forcedByUser.addEventListener('abort', () => void database?.stop(0).catch(() => {}));
  await database?.stop(forcedByUser.aborted ? 0 : leftMs);
}
