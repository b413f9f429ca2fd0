import type { ProcessInfo } from '../queues/transport/process-info.ts';

/** Which of the service's processes run, as `/health/workers` shows it. */
export interface ProcessHealth {
  /** Queues that no worker serves, and `indexer`. */
  readonly missing: readonly string[];
  /** Workers that cannot open what this process seals. */
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

/** Whether no worker at all can open what this process seals, though there are some. */
export function hasNoMatchingWorker(running: readonly ProcessInfo[], key: string): boolean {
  const workers = running.filter(({ kind }) => kind === 'worker');
  return workers.length > 0 && workers.every(worker => worker.key !== key);
}
