import { type Failure, failure } from '../../queues/contract/failure.ts';
import type { JobRun } from '../../queues/transport/consumer.ts';

/*
 * Limits the work that runs at a time, over all hosts and for one host. The hosts are served round-robin: the job of a
 * host never waits behind all jobs of another. A waiting job lends its slot, so that the worker takes the jobs of other
 * hosts meanwhile; a host whose waiting jobs are too many is refused, so that the memory of the worker is limited.
 */

export interface HostGate {
  /**
   * Runs the work when its turn comes; rejects without running it when the job is aborted first, with `HostBusyError` when
   * too many jobs of the host have lent their slots.
   */
  run<T>(entry: GateEntry, work: () => Promise<T>): Promise<T>;
}

export interface GateEntry extends Pick<JobRun, 'signal'> {
  /** Without it the job keeps its slot while it waits, and is never refused. */
  readonly lendSlot?: JobRun['lendSlot'];
  readonly host: string;
  /** At most `maxPerHost`. */
  readonly weight: number;
}

/** Sums of weights. */
export interface GateLimits {
  readonly maxTotal: number;
  readonly maxPerHost: number;
}

interface WaitingJob {
  readonly weight: number;
  begin(): void;
}

/** The host has too many waiting jobs. */
class HostBusyError extends Error {
  constructor() {
    super('too many jobs of this host wait');
  }
}

/** The reply to a job that the gate refused; rethrows other errors. */
export function refuseBusyHost(error: unknown): Failure {
  if (!(error instanceof HostBusyError)) throw error;
  return failure('overloaded');
}

/** Further jobs of the host are refused. */
const MAX_LENT_BY_HOST = 300;
/** Further jobs keep their slots, so that the worker takes no more. */
const MAX_LENT = 1_000;

export function makeHostGate(limits: GateLimits): HostGate {
  const queue = makeHostQueue(limits);
  const lentByHost = new Map<string, number>();
  let lent = 0;

  function countLent(host: string, change: 1 | -1): void {
    const count = (lentByHost.get(host) ?? 0) + change;
    lent += change;
    if (count > 0) lentByHost.set(host, count);
    else lentByHost.delete(host);
  }

  async function enter(entry: GateEntry): Promise<void> {
    const { host, signal, lendSlot } = entry;
    signal.throwIfAborted();
    if (lendSlot && (lentByHost.get(host) ?? 0) >= MAX_LENT_BY_HOST) throw new HostBusyError();
    const began = queue.wait(entry);
    if (!began || !lendSlot || lent >= MAX_LENT) return began;
    countLent(host, 1);
    const reclaimSlot = lendSlot();
    await began.finally(() => {
      countLent(host, -1);
      reclaimSlot();
    });
  }

  return {
    async run(entry, work) {
      await enter(entry);
      try {
        return await work();
      } finally {
        queue.end(entry);
      }
    },
  };
}

/** Decides which waiting jobs begin. */
function makeHostQueue({ maxTotal, maxPerHost }: GateLimits) {
  /** Hosts in the order of their turns. */
  const waiting: WaitingJobs = new Map();
  const running = new Map<string, number>();
  let total = 0;

  function add(host: string, weight: number): void {
    total += weight;
    running.set(host, (running.get(host) ?? 0) + weight);
    if (running.get(host) === 0) running.delete(host);
  }

  function startNext(): void {
    for (const [host, [first]] of waiting) {
      if (!first || (running.get(host) ?? 0) + first.weight > maxPerHost) continue;
      // Lighter jobs behind it do not pass: it would starve.
      if (total + first.weight > maxTotal) return;
      leave(waiting, host, first);
      moveToEnd(waiting, host);
      add(host, first.weight);
      first.begin();
    }
  }

  return {
    /** Returns undefined when the job may begin at once; rejects when it is aborted first. */
    wait({ host, weight, signal }: GateEntry): Promise<void> | undefined {
      let isBegun = false;
      const began = new Promise<void>((resolve, reject) => {
        const stop = () => {
          leave(waiting, host, job);
          startNext();
          reject(signal.reason as Error);
        };
        const begin = () => {
          isBegun = true;
          signal.removeEventListener('abort', stop);
          resolve();
        };
        const job: WaitingJob = { weight, begin };
        waiting.set(host, [...(waiting.get(host) ?? []), job]);
        signal.addEventListener('abort', stop, { once: true });
        startNext();
      });
      return isBegun ? undefined : began;
    },
    end({ host, weight }: GateEntry): void {
      add(host, -weight);
      startNext();
    },
  };
}

type WaitingJobs = Map<string, WaitingJob[]>;

function leave(waiting: WaitingJobs, host: string, job: WaitingJob): void {
  const left = (waiting.get(host) ?? []).filter(other => other !== job);
  if (left.length > 0) waiting.set(host, left);
  else waiting.delete(host);
}

/** The other hosts come first. A loop over the map visits the host again. */
function moveToEnd(waiting: WaitingJobs, host: string): void {
  const jobs = waiting.get(host);
  waiting.delete(host);
  if (jobs) waiting.set(host, jobs);
}
