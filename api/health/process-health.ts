import type { ProcessInfo } from '../../platform/process-info.ts';
import type { KeyFingerprints } from '../../platform/seal.ts';

/** The state of the processes, for `/health/workers`. */
export interface ProcessHealth {
  /** Workers of queues that no process serves, and `indexer`. */
  readonly missing: readonly string[];
  /** Workers with another SECRET_KEY: they cannot decrypt the jobs of this process, or it not their replies. */
  readonly otherKeys: readonly string[];
}

export function checkProcesses(
  running: readonly ProcessInfo[],
  queueNames: readonly string[],
  own: KeyFingerprints,
): ProcessHealth {
  const workers = running.filter(({ kind }) => kind === 'worker');
  const hasIndexer = running.some(({ kind }) => kind === 'indexer');
  return {
    missing: [...listMissingWorkers(workers, queueNames), ...(hasIndexer ? [] : ['indexer'])],
    otherKeys: workers.filter(worker => !canReadEachOther(worker, own)).map(({ process }) => process),
  };
}

/** With `own`, the keys of this process: workers with another one do not count. */
export function listMissingWorkers(
  running: readonly ProcessInfo[],
  queueNames: readonly string[],
  own?: KeyFingerprints,
): string[] {
  const workers = running.filter(
    worker => worker.kind === 'worker' && canReadEachOther(worker, own ?? worker),
  );
  return queueNames
    .filter(queue => !workers.some(({ queues }) => queues.includes(queue)))
    .map(queue => `worker of ${queue}`);
}

/** True if there are workers, but all have another SECRET_KEY. */
export function hasNoMatchingWorker(running: readonly ProcessInfo[], own: KeyFingerprints): boolean {
  const workers = running.filter(({ kind }) => kind === 'worker');
  return workers.length > 0 && workers.every(worker => !canReadEachOther(worker, own));
}

/** One seals with a key that the other has, too, at least as a previous one. */
function canReadEachOther(one: KeyFingerprints, other: KeyFingerprints): boolean {
  const reads = ({ key, previousKeys }: KeyFingerprints, sealed: KeyFingerprints) =>
    [key, ...previousKeys].includes(sealed.key);
  return reads(one, other) && reads(other, one);
}
