import type { ProcessInfo } from '../../platform/process-info.ts';

/** The state of the processes, for `/health/workers`. */
export interface ProcessHealth {
  /** Workers of queues that no process serves, and `indexer`. */
  readonly missing: readonly string[];
  /** Workers with another SECRET_KEY, which cannot decrypt the jobs of this process. */
  readonly otherKeys: readonly string[];
}

export function checkProcesses(
  running: readonly ProcessInfo[],
  queueNames: readonly string[],
  key: string,
): ProcessHealth {
  const workers = running.filter(({ kind }) => kind === 'worker');
  const hasIndexer = running.some(({ kind }) => kind === 'indexer');
  return {
    missing: [...listMissingWorkers(workers, queueNames), ...(hasIndexer ? [] : ['indexer'])],
    otherKeys: workers.filter(worker => worker.key !== key).map(({ process }) => process),
  };
}

/** With `key`: workers with another one do not count. */
export function listMissingWorkers(
  running: readonly ProcessInfo[],
  queueNames: readonly string[],
  key?: string,
): string[] {
  const workers = running.filter(worker => worker.kind === 'worker' && worker.key === (key ?? worker.key));
  return queueNames
    .filter(queue => !workers.some(({ queues }) => queues.includes(queue)))
    .map(queue => `worker of ${queue}`);
}

/** True if there are workers, but all have another SECRET_KEY. */
export function hasNoMatchingWorker(running: readonly ProcessInfo[], key: string): boolean {
  const workers = running.filter(({ kind }) => kind === 'worker');
  return workers.length > 0 && workers.every(worker => worker.key !== key);
}
