import type { WorkerLoad } from '../platform/worker-load.ts';
import { LATE_PART, type QueueProgress } from '../queues/transport/progress.ts';

/**
 * How many workers would begin all that waits in a queue before it is late, beside what runs; at least one. It follows the
 * number of slots: a job of unknown duration is taken to need a slot of its own.
 */
export function countWorkersWanted(
  { depth, active }: Pick<QueueProgress, 'depth' | 'active'>,
  { workers, slots, meanMs }: WorkerLoad,
  timeoutMs: number,
): number {
  if (workers === 0) return 1;
  const withinMs = timeoutMs * LATE_PART;
  const forWaiting = depth * Math.min((meanMs ?? withinMs) / withinMs, 1);
  // A turn that waits for its conversation is active, and lends its slot.
  const inUse = Math.min(active, slots);
  return Math.max(Math.ceil((inUse + forWaiting) / (slots / workers)), 1);
}
