import type { HostShare } from '../../queues/transport/fair-order.ts';
import { limitHosts } from '../../queues/transport/job-limits.ts';
import type { JobData } from '../../queues/transport/store.ts';
import type { HeldJob, QueueTwin } from './queue-twin.ts';

type Step = (twin: QueueTwin) => Promise<unknown>;

/** Pseudorandom numbers below `limit`, the same for each seed. */
export function makeRandom(seed: number): (limit: number) => number {
  let state = seed;
  return limit => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** A step that the two twins take alike, because they hold the same jobs and pick them by number. */
export function makeStep(random: (limit: number) => number): [name: string, step: Step] {
  const [ids, picked, many] = [[random(30), random(30), random(30)], random(1_000), 1 + random(4)];
  const jobs = ids.map(id => ({ id: `k${id}x`, data: dataOf(id) }));
  const isTrue = random(2) === 0;
  const pick = <T>(all: readonly T[]): T | undefined => all[picked % Math.max(all.length, 1)];
  const ofHeld = (work: (twin: QueueTwin, job: HeldJob) => Promise<unknown>): Step => {
    return async twin => {
      const job = pick(twin.held);
      return job && work(twin, job);
    };
  };
  const finish: Step = async twin => {
    const [doomed] = twin.held.filter(({ isDoomed }) => isDoomed);
    return doomed ? twin.fail(doomed) : twin.complete(twin.held.slice(0, many), isTrue);
  };
  const retry = (state: 'completed' | 'failed'): Step => {
    return async twin => {
      const ended = await twin.queue.getJobs([state]);
      const job = pick(ended.toSorted((a, b) => (a.id as string).localeCompare(b.id as string)));
      return job?.retry(state).catch((error: Error) => error.message);
    };
  };
  // BullMQ's own check recovers a job when it sees it for the second time.
  const stall: Step = async twin => [await twin.checkStalled(), await twin.checkStalled()].flat();
  const steps: [string, Step][] = [
    ['add', twin => twin.add(jobs.slice(0, many))],
    ['add', twin => twin.add(jobs.slice(0, many))],
    ['add with priority', twin => twin.addWithPriority(jobs.slice(0, many), 1 + (picked % 3))],
    ['take', twin => twin.take(many)],
    ['wake', twin => twin.wake(many)],
    ['renew', twin => twin.renewLocks()],
    ['complete', finish],
    ['complete', finish],
    ['fail', ofHeld((twin, job) => twin.fail(job))],
    ['lose lock', ofHeld((twin, job) => twin.loseLock(job))],
    ['stall', stall],
    ['retry completed', retry('completed')],
    ['retry failed', retry('failed')],
    ['pause', twin => (isTrue ? twin.queue.pause() : twin.queue.resume())],
    ['resume', twin => twin.queue.resume()],
    ['remove', twin => twin.queue.remove(`k${ids[0]}x`).catch((error: Error) => error.message)],
    ['clean', twin => twin.clean(isTrue ? 'completed' : 'failed')],
    ['age', twin => twin.age()],
  ];
  return steps[random(steps.length)] as [string, Step];
}

const hosts: readonly HostShare[] = [1, 1, 3].map((share, at) => ({ host: `host${at}`, share }));

/** Undefined: the job has no place in the fair order. */
const hostShareOf = (id: string): HostShare | undefined => hosts[Number(/\d+/.exec(id)?.[0]) % 4];

interface FairStep {
  readonly name: string;
  readonly take: Step;
  /** How many slots are free for the jobs that it takes, or for those that are held now; undefined: it takes none. */
  readonly freeSlots?: number;
}

/** Makes steps of jobs in the fair order. No lock is lost: ours puts such a job back to its place, and BullMQ puts it before all others. */
export function makeFairStep(random: (limit: number) => number, held: number): FairStep {
  const [ids, many] = [Array.from({ length: 4 }, () => `k${random(60)}x`), 1 + random(6)];
  const jobs = ids.map(id => ({ id, data: dataOf(1), hostShare: hostShareOf(id) }));
  const [id = ''] = ids;
  const last = (all: readonly HeldJob[]) => all.at(-1);
  const steps: FairStep[] = [
    { name: 'add', take: twin => twin.addFairly(jobs) },
    { name: 'take', take: twin => twin.take(many), freeSlots: many },
    {
      name: 'complete and take',
      take: twin => twin.complete(twin.held.slice(0, many), true),
      freeSlots: Math.min(many, held),
    },
    { name: 'complete', take: twin => twin.complete(twin.held.slice(0, many), false) },
    { name: 'renew', take: twin => twin.renewLocks() },
    {
      name: 'fail',
      async take(twin) {
        const job = last(twin.held);
        return job && twin.fail(job);
      },
    },
    {
      name: 'retry',
      async take(twin) {
        const job = await twin.queue.getJob(id);
        return job?.retry('completed').catch((error: Error) => error.message);
      },
    },
    { name: 'remove', take: twin => twin.queue.remove(id).catch((error: Error) => error.message) },
    { name: 'clean', take: twin => twin.clean('completed') },
    { name: 'age', take: twin => twin.age() },
  ];
  // Mostly jobs come and go.
  return steps[random(3) > 0 ? random(3) : random(steps.length)] as FairStep;
}

export function dataOf(id: number): JobData {
  const replyTo = id % 3 === 0 ? 'keyed' : 'requester';
  return {
    requestId: `r${id}`,
    hostId: null,
    deadline: 0,
    sealed: 'body',
    ...(id % 5 === 0 ? {} : { replyTo }),
  };
}

/** Takes the step in both twins; returns what each says and holds, and what each has stored then. */
export async function takeStep(twins: readonly [QueueTwin, QueueTwin], step: Step) {
  const [library, ours] = twins;
  const results = [await step(library), await step(ours)].map(result => JSON.stringify(sorted(result)));
  const held = twins.map(twin => twin.held.map(({ taken }) => taken));
  const stored = await Promise.all(twins.map(({ store }) => store.read()));
  await Promise.all(twins.map(twin => twin.prolongLocks()));
  return { results, held, stored };
}

/** As `takeStep`. BullMQ knows no limits of hosts, so it is left only those jobs that ours has taken. */
export async function takeFairStep(twins: readonly [QueueTwin, QueueTwin], { take, freeSlots }: FairStep) {
  const [library, ours] = twins;
  const before = new Set(ours.held.map(({ id }) => id));
  const result = await take(ours);
  const taken = ours.held.map(({ id }) => id).filter(id => !before.has(id));
  const showAll = freeSlots === undefined ? undefined : await library.store.hideAllBut(taken);
  const seen = await takeStep(twins, async twin => {
    if (twin === ours) return result;
    const theirs = await take(library);
    await showAll?.();
    return theirs;
  });
  return { ...seen, taken };
}

/** The hosts of these jobs of which a worker has taken more than their limit let it. */
export function hostsOverLimit(taken: readonly string[], { held }: QueueTwin, freeSlots: number): string[] {
  const heldBefore = held.flatMap(({ id }) => (taken.includes(id) ? [] : (hostShareOf(id)?.host ?? [])));
  const { byHost, others } = limitHosts(heldBefore, freeSlots);
  const takenOf = (host: string) => taken.filter(id => hostShareOf(id)?.host === host).length;
  return hosts.flatMap(({ host }) => (takenOf(host) > (byHost[host] ?? others) ? [host] : []));
}

/** The hosts of which jobs wait although the worker may take one. */
export async function hostsLeftOut({ held, queue }: QueueTwin, freeSlots: number): Promise<string[]> {
  const waiting = (await queue.getJobs(['prioritized', 'waiting'])).map(({ id }) => id as string);
  const holders = held.map(({ id }) => hostShareOf(id)?.host);
  // Of so few slots one is kept at most.
  return hosts.flatMap(({ host }) => {
    const mayTake = freeSlots > (holders.includes(host) ? 1 : 0);
    return mayTake && waiting.some(id => hostShareOf(id)?.host === host) ? [host] : [];
  });
}

function sorted(result: unknown): unknown {
  return Array.isArray(result) && result.every(each => typeof each === 'string') ? result.toSorted() : result;
}
