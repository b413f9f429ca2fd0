import { type ProcessPlan, spawnChild } from './child-process.ts';
import { endOf, stopProcess } from './process-end.ts';
import type { StopSignals } from './stop-signals.ts';

/** Runs a process to its end; throws when it fails or `stop` is aborted. */
export async function runOnce(plan: ProcessPlan, { stop, forceStop }: StopSignals): Promise<void> {
  const child = spawnChild(plan);
  const end = endOf(child);
  const interrupt = () => void stopProcess(child, forceStop);
  stop.addEventListener('abort', interrupt);
  const { reason } = await end;
  stop.removeEventListener('abort', interrupt);
  stop.throwIfAborted();
  if (reason) throw new Error(`${plan.name} failed (${reason})`);
}
