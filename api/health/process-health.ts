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
  const unserved = queueNames.filter(queue => !workers.some(({ queues }) => queues.includes(queue)));
  const hasIndexer = running.some(({ kind }) => kind === 'indexer');
  return {
    missing: [...unserved.map(queue => `worker of ${queue}`), ...(hasIndexer ? [] : ['indexer'])],
    otherKeys: workers.filter(worker => worker.key !== key).map(({ process }) => process),
  };
}

/** True if there are workers, but all have another SECRET_KEY. */
export function hasNoMatchingWorker(running: readonly ProcessInfo[], key: string): boolean {
  const workers = running.filter(({ kind }) => kind === 'worker');
  return workers.length > 0 && workers.every(worker => worker.key !== key);
}
