import { LATE_FRACTION, type QueueProgress } from '../../queues/transport/progress.ts';
import type { WorkerLoad } from '../../queues/transport/worker-load.ts';

/**
 * How many workers are needed to start all waiting jobs of a queue before they are late, in addition to the running ones; at
 * least one. A waiting job needs the part of a slot that its mean duration is of that time, at most a whole one, and a whole
 * one while the duration is unknown.
 */
export function countWorkersWanted(
  { depth, active }: Pick<QueueProgress, 'depth' | 'active'>,
  { workers, slots, meanMs }: WorkerLoad,
  timeoutMs: number,
): number {
  if (workers === 0) return 1;
  const maxWaitMs = timeoutMs * LATE_FRACTION;
  const forWaiting = depth * Math.min((meanMs ?? maxWaitMs) / maxWaitMs, 1);
  // A turn that waits for its conversation is active, and lends its slot.
  const inUse = Math.min(active, slots);
  return Math.max(Math.ceil((inUse + forWaiting) / (slots / workers)), 1);
}
