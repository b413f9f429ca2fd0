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

function sorted(result: unknown): unknown {
  return Array.isArray(result) && result.every(each => typeof each === 'string') ? result.toSorted() : result;
}
