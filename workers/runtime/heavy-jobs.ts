import type { OperationName } from '../../queues/contract/operations/index.ts';
import type { JobHandler, JobRun } from '../../queues/transport/consumer.ts';
import { type GateLimits, makeHostGate } from './host-gate.ts';

/** The connections that one unified search uses at a time. */
export const MAX_CONCURRENT_SEARCHES = 2;

/** The weight of a heavy job is the number of connections that it uses at a time. */
const WEIGHTS: Partial<Record<OperationName, number>> = {
  searchFulltext: 1,
  searchHybrid: 1,
  searchUnified: MAX_CONCURRENT_SEARCHES,
  searchPhone: 1,
  searchStats: 1,
  reindex: 1,
  conversationalStats: 1,
  financialStats: 1,
};

/** One host may use half. Reports also take CPU time of the process, so fewer run at a time. */
const SEARCH_LIMITS: GateLimits = {
  maxTotal: 2 * MAX_CONCURRENT_SEARCHES,
  maxPerHost: MAX_CONCURRENT_SEARCHES,
};
const REPORT_LIMITS: GateLimits = { maxTotal: 2, maxPerHost: 1 };

/** All heavy jobs that run at a time have their connections. */
export const HEAVY_CONNECTIONS = SEARCH_LIMITS.maxTotal + REPORT_LIMITS.maxTotal;

export function isHeavy({ operation }: Pick<JobRun, 'operation'>): boolean {
  return weightOf(operation) > 0;
}

/** Wraps a job handler: heavy jobs wait until their host may run one more. */
export function shareHeavyWork({ handle, storeOutcome }: JobHandler): JobHandler {
  const searches = makeHostGate(SEARCH_LIMITS);
  const reports = makeHostGate(REPORT_LIMITS);
  return {
    storeOutcome,
    async handle(run) {
      const weight = weightOf(run.operation);
      if (weight === 0) return handle(run);
      const gate = run.queue === 'reports' ? reports : searches;
      const { signal, lendSlot } = run;
      // A token of several hosts takes nothing from the share of any of them.
      const host = run.caller.hostIds.join(',');
      return gate.run({ host, weight, signal, lendSlot }, () => handle(run));
    },
  };
}

function weightOf(operation: string): number {
  return WEIGHTS[operation as OperationName] ?? 0;
}
