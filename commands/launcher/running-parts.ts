import { ALL_ENDS_WITHIN_MS, CHILDREN_END_WITHIN_MS } from '../../platform/shutdown-limits.ts';
import type { DatabaseSupervisor } from './database-supervisor.ts';
import { SupervisedProcess } from './supervised-process.ts';

/** Running parts, to be stopped. */
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
