import type { GateLimits } from '../../platform/gate.ts';
import type { WorkKind } from '../../queues/contract/operation.ts';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import { MAX_CONCURRENT_SEARCHES } from '../../queues/contract/operations/search.ts';
import type { JobHandler, JobRun } from '../../queues/transport/consumer.ts';
import { HostGate, refuseBusyHost } from './host-gate.ts';

/** One host may use half. Reports and long lists also take CPU time of the process, so fewer run at a time. */
const limits: { readonly [kind in WorkKind]: GateLimits } = {
  search: { maxTotal: 2 * MAX_CONCURRENT_SEARCHES, maxPerKey: MAX_CONCURRENT_SEARCHES },
  report: { maxTotal: 2, maxPerKey: 1 },
  list: { maxTotal: 2, maxPerKey: 1 },
  replay: { maxTotal: 2, maxPerKey: 1 },
};

/** All heavy jobs that run at a time have their connections. */
export const HEAVY_CONNECTIONS = Object.values(limits).reduce((sum, { maxTotal }) => sum + maxTotal, 0);

/** Undefined: the job is not heavy. */
export function weightOf({ operation }: Pick<JobRun, 'operation'>) {
  return operationOf(operation as OperationName).weight;
}

/** Wraps a job handler: heavy jobs wait until their host may run one more. */
export function shareHeavyWork({ handle, storeOutcome }: JobHandler): JobHandler {
  const gates: { readonly [kind in WorkKind]: HostGate } = {
    search: new HostGate(limits.search),
    report: new HostGate(limits.report),
    list: new HostGate(limits.list),
    replay: new HostGate(limits.replay),
  };
  return {
    storeOutcome,
    async handle(run) {
      const heavy = weightOf(run);
      if (!heavy) return handle(run);
      const { signal, lendSlot } = run;
      // A token of several hosts takes nothing from what any of them may have.
      const entry = { key: run.caller.hostIds.join(','), weight: heavy.connections, signal, lendSlot };
      return gates[heavy.kind].run(entry, () => handle(run)).catch(refuseBusyHost);
    },
  };
}
