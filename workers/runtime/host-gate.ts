import { Gate, type GateEntry, type GateLimits } from '../../platform/gate.ts';
import { type Failure, failure } from '../../queues/contract/failure.ts';
import type { WorkKind } from '../../queues/contract/operation.ts';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import { MAX_CONCURRENT_SEARCHES } from '../../queues/contract/operations/search.ts';
import type { Job, JobHandler } from '../../queues/transport/consumer.ts';

/*
 * A gate for the jobs of a worker, keyed by host. A waiting job lends its slot, so that the worker takes other hosts' jobs
 * meanwhile. A host with too many waiting jobs is refused, which limits the memory of the worker.
 */

export interface JobEntry extends GateEntry {
  /** Undefined: the job keeps its slot while it waits, and is never refused. */
  readonly lendSlot?: Job['lendSlot'];
}

class HostBusyError extends Error {
  constructor() {
    super('too many jobs of this host wait');
  }
}

/** Returns the reply to a job that the gate refused; rethrows other errors. */
export function refuseBusyHost(error: unknown): Failure {
  if (!(error instanceof HostBusyError)) throw error;
  return failure('overloaded');
}

/** Beyond this number, jobs of the host are refused. */
const MAX_LENT_BY_HOST = 300;
/** Beyond this number, jobs keep their slots, so that the worker takes no more. */
const MAX_LENT = 1_000;

export class HostGate {
  readonly #gate: Gate;
  readonly #lentByHost = new Map<string, number>();
  #lent = 0;

  constructor(limits: GateLimits) {
    this.#gate = new Gate(limits);
  }

  /** See `Gate.run`. Rejects with an error for `refuseBusyHost` when too many jobs of the host have lent their slots. */
  async run<T>(entry: JobEntry, work: () => Promise<T>): Promise<T> {
    const { key: host, lendSlot } = entry;
    if (lendSlot && (this.#lentByHost.get(host) ?? 0) >= MAX_LENT_BY_HOST) throw new HostBusyError();
    const turn = this.#gate.enter(entry);
    if (turn) await (lendSlot && this.#lent < MAX_LENT ? this.#lendUntil(turn, host, lendSlot) : turn);
    try {
      return await work();
    } finally {
      this.#gate.leave(entry);
    }
  }

  async #lendUntil(turn: Promise<void>, host: string, lendSlot: Job['lendSlot']): Promise<void> {
    this.#countLent(host, 1);
    const reclaimSlot = lendSlot();
    try {
      await turn;
    } finally {
      this.#countLent(host, -1);
      reclaimSlot();
    }
  }

  #countLent(host: string, change: 1 | -1): void {
    const count = (this.#lentByHost.get(host) ?? 0) + change;
    this.#lent += change;
    if (count > 0) this.#lentByHost.set(host, count);
    else this.#lentByHost.delete(host);
  }
}

/** One host may use half of each. Reports and long lists also take CPU time, so fewer run at a time. */
const limits: { readonly [kind in WorkKind]: GateLimits } = {
  search: { maxTotal: 2 * MAX_CONCURRENT_SEARCHES, maxPerKey: MAX_CONCURRENT_SEARCHES },
  report: { maxTotal: 2, maxPerKey: 1 },
  list: { maxTotal: 2, maxPerKey: 1 },
  replay: { maxTotal: 2, maxPerKey: 1 },
};

/** Every heavy job that may run has its connections. */
export const HEAVY_CONNECTIONS = Object.values(limits).reduce((sum, { maxTotal }) => sum + maxTotal, 0);

/** Undefined: the job is not heavy. */
export function weightOf({ operation }: Job) {
  return operationOf(operation as OperationName).weight;
}

/** Wraps a job handler so that heavy jobs wait until their host may run one more. */
export function shareHeavyWork({ handle, storeOutcome }: JobHandler): JobHandler {
  const gates: { readonly [kind in WorkKind]: HostGate } = {
    search: new HostGate(limits.search),
    report: new HostGate(limits.report),
    list: new HostGate(limits.list),
    replay: new HostGate(limits.replay),
  };
  return {
    storeOutcome,
    async handle(job) {
      const heavy = weightOf(job);
      if (!heavy) return handle(job);
      const { signal, lendSlot } = job;
      // A token of several hosts has a key of its own, and so takes nothing from any single host.
      const entry = { key: job.caller.hostIds.join(','), weight: heavy.connections, signal, lendSlot };
      return gates[heavy.kind].run(entry, () => handle(job)).catch(refuseBusyHost);
    },
  };
}
