import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findWeakSecrets } from '../../platform/weak-secrets.ts';
import { whenAborted } from '../../platform/when-aborted.ts';
import { printGreeting } from './print-greeting.ts';
import { type RunningParts, stopAll } from './running-parts.ts';
import { takeStartLock } from './start-lock.ts';
import { type Launch, startParts } from './start-parts.ts';
import { startProcesses } from './start-processes.ts';
import type { StopSignals } from './stop-signals.ts';

/*
 * Runs everything on one machine. Parts that the settings do not name are started here: the database, the queue (in
 * the database), the model. Order: lock, database, model, `release` once, then the supervised processes. On a signal
 * the processes are stopped first, then the database, then the lock is released; a start that fails halfway stops in
 * the same order.
 */

/** Runs until it is stopped, and leaves nothing running. Throws when the start fails. */
export async function launch(plan: Launch, signals: StopSignals): Promise<void> {
  assertStrongSecrets(plan);
  const dataDir = resolve(plan.config.dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const unlock = await takeStartLock(dataDir);
  const running: RunningParts = { processes: [] };
  try {
    const env = await startParts(plan, dataDir, running, signals.stop);
    await startProcesses(plan.procfile, env, running, signals);
    void printGreeting(env, dataDir, running, signals.stop);
    await Promise.race([whenAborted(signals.stop), ...running.processes.map(({ gaveUp }) => gaveUp)]);
  } catch (error) {
    if (!signals.stop.aborted) throw error;
  } finally {
    await stopAll(running, signals.forceStop);
    unlock();
  }
}

/** Each process would refuse them, again and again. */
function assertStrongSecrets({ config, parentEnv }: Launch): void {
  const [line] = findWeakSecrets({ ...config, appEnv: parentEnv.APP_ENV ?? 'development' });
  if (line) throw new Error(line);
}
