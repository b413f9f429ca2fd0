import type { GateLimits } from '../../platform/gate.ts';
import type { OperationName } from '../../queues/contract/operations/index.ts';
import type { JobHandler, JobRun } from '../../queues/transport/consumer.ts';
import { HostGate, refuseBusyHost } from './host-gate.ts';

/** The connections that one unified search uses at a time. */
export const MAX_CONCURRENT_SEARCHES = 2;

/** One host may use half. Reports and long lists also take CPU time of the process, so fewer run at a time. */
const LIMITS = {
  searches: { maxTotal: 2 * MAX_CONCURRENT_SEARCHES, maxPerKey: MAX_CONCURRENT_SEARCHES },
  reports: { maxTotal: 2, maxPerKey: 1 },
  lists: { maxTotal: 2, maxPerKey: 1 },
  replays: { maxTotal: 2, maxPerKey: 1 },
} satisfies Record<string, GateLimits>;

type GateName = keyof typeof LIMITS;

/** The weight of a heavy job is the number of connections that it uses at a time. */
const heavyOperations: Partial<Record<OperationName, readonly [GateName, weight: number]>> = {
  searchFulltext: ['searches', 1],
  searchHybrid: ['searches', 1],
  searchUnified: ['searches', MAX_CONCURRENT_SEARCHES],
  searchPhone: ['searches', 1],
  searchStats: ['searches', 1],
  reindex: ['searches', 1],
  readChunks: ['searches', 1],
  conversationalStats: ['reports', 1],
  financialStats: ['reports', 1],
  getKnowledgeGaps: ['reports', 1],
  getOutcomes: ['reports', 1],
  // It may recount a host.
  saveHost: ['reports', 1],
  listAvatars: ['lists', 1],
  listAgents: ['lists', 1],
  listConversations: ['lists', 1],
  listDatasets: ['lists', 1],
  listDocuments: ['lists', 1],
  listFlows: ['lists', 1],
  listMcpConfigs: ['lists', 1],
  listTickets: ['lists', 1],
  listLeads: ['lists', 1],
  listIntakeRecords: ['lists', 1],
  listFlowVersions: ['lists', 1],
  replayRecords: ['replays', 1],
};

/** All heavy jobs that run at a time have their connections. */
export const HEAVY_CONNECTIONS =
  LIMITS.searches.maxTotal + LIMITS.reports.maxTotal + LIMITS.lists.maxTotal + LIMITS.replays.maxTotal;

export function isHeavy({ operation }: Pick<JobRun, 'operation'>): boolean {
  return operation in heavyOperations;
}

/** Wraps a job handler: heavy jobs wait until their host may run one more. */
export function shareHeavyWork({ handle, storeOutcome }: JobHandler): JobHandler {
  const gates: Record<GateName, HostGate> = {
    searches: new HostGate(LIMITS.searches),
    reports: new HostGate(LIMITS.reports),
    lists: new HostGate(LIMITS.lists),
    replays: new HostGate(LIMITS.replays),
  };
  return {
    storeOutcome,
    async handle(run) {
      const heavy = heavyOperations[run.operation as OperationName];
      if (!heavy) return handle(run);
      const [gate, weight] = heavy;
      const { signal, lendSlot } = run;
      // A token of several hosts takes nothing from what any of them may have.
      const key = run.caller.hostIds.join(',');
      return gates[gate].run({ key, weight, signal, lendSlot }, () => handle(run)).catch(refuseBusyHost);
    },
  };
}
