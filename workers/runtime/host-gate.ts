import type { JobRun } from '../../queues/transport/consumer.ts';

/*
 * Limits the heavy jobs that run at a time, over all hosts and for one host. The hosts are served round-robin: the job of
 * a host never waits behind all jobs of another. A waiting job lends its slot, so that the worker takes the jobs of
 * other hosts meanwhile.
 */

export interface HostGate {
  /** Runs the work when its turn comes; rejects without running it when the job is aborted first. */
  run<T>(entry: GateEntry, work: () => Promise<T>): Promise<T>;
}

export interface GateEntry extends Pick<JobRun, 'signal' | 'lendSlot'> {
  readonly host: string;
  /** At most `mostForOne`. */
  readonly weight: number;
}

/** Sums of weights. */
export interface GateLimits {
  readonly most: number;
  readonly mostForOne: number;
}

interface WaitingJob {
  readonly weight: number;
  begin(): void;
}

/** Further jobs keep their slots, so that the worker takes no more: the memory of the worker is limited. */
const MOST_LENT = 1_000;

export function makeHostGate({ most, mostForOne }: GateLimits): HostGate {
  /** Hosts in the order of their turns. */
  const waiting = new Map<string, WaitingJob[]>();
  const running = new Map<string, number>();
  let total = 0;
  let lent = 0;

  function add(host: string, weight: number): void {
    const sum = (running.get(host) ?? 0) + weight;
    total += weight;
    if (sum > 0) running.set(host, sum);
    else running.delete(host);
  }

  function startNext(): void {
    for (const [host, line] of waiting) {
      const [first] = line;
      if (!first || (running.get(host) ?? 0) + first.weight > mostForOne) continue;
      // Lighter jobs behind it do not pass: it would starve.
      if (total + first.weight > most) return;
      line.shift();
      waiting.delete(host);
      // Re-inserted at the end: the other hosts come first. This loop visits it again.
      if (line.length > 0) waiting.set(host, line);
      add(host, first.weight);
      first.begin();
    }
  }

  function leave(host: string, job: WaitingJob): void {
    const line = waiting.get(host) ?? [];
    line.splice(line.indexOf(job), 1);
    if (line.length === 0) waiting.delete(host);
    startNext();
  }

  function waitInLine({ host, weight, signal }: GateEntry): Promise<void> | undefined {
    let isBegun = false;
    const began = new Promise<void>((resolve, reject) => {
      const stop = () => {
        leave(host, job);
        reject(signal.reason as Error);
      };
      const begin = () => {
        isBegun = true;
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const job: WaitingJob = { weight, begin };
      const line = waiting.get(host);
      if (line) line.push(job);
      else waiting.set(host, [job]);
      signal.addEventListener('abort', stop, { once: true });
      startNext();
    });
    return isBegun ? undefined : began;
  }

  async function enter(entry: GateEntry): Promise<void> {
    entry.signal.throwIfAborted();
    const began = waitInLine(entry);
    if (!began) return;
    if (lent >= MOST_LENT) return began;
    lent += 1;
    const takeSlotBack = entry.lendSlot();
    await began.finally(() => {
      lent -= 1;
      takeSlotBack();
    });
  }

  return {
    async run(entry, work) {
      await enter(entry);
      try {
        return await work();
      } finally {
        add(entry.host, -entry.weight);
        startNext();
      }
    },
  };
}
