import { batchCalls } from '../../platform/batch.ts';
import { type QueueName, queues } from '../contract/queues.ts';
import type { Backend } from './backend.ts';
import type { ParleyQueue } from './parts.ts';
import { makePressure, type Pressure } from './pressure.ts';
import { progressOf, type QueueProgress } from './progress.ts';
import { batchOfTick } from './queue-calls.ts';
import type { EndSubscription, PendingJob } from './store.ts';
import { Waiters } from './waiters.ts';

/** A queue with the ends of its jobs, waiters and pressure, for the API. */
export interface OpenQueue {
  readonly name: QueueName;
  readonly queue: ParleyQueue;
  readonly ends: EndSubscription;
  readonly waiters: Waiters;
  readonly pressure: Pressure;
  /** Undefined where the job does not wait or run. */
  findPending(jobId: string): Promise<PendingJob | undefined>;
  /** When a job of this queue last ended, as far as this process knows, on the store's clock. */
  endedAt: number | undefined;
}

export function openQueue(backend: Backend, name: QueueName): OpenQueue {
  const queue = backend.makeQueue(name);
  const waiters = new Waiters({ ...backend.polling, findFinished: ids => backend.findFinished(queue, ids) });
  const pressure = makePressure({
    backlog: () => backend.backlog(queue),
    countEnds: async since => (await backend.ends.find(queue, since)).count,
    now: backend.now,
  });
  const ends = backend.ends.listen(name, {
    noteEnd(jobId, reply) {
      open.endedAt = backend.now();
      waiters.noteEnd(jobId, reply);
    },
    notePiece: (jobId, piece) => waiters.notePiece(jobId, piece),
    noteGap: () => void waiters.pollAll(),
  });
  // Together: one by one, those of a host that asks for hundreds would keep the others from the store.
  const findPending = batchCalls<string, PendingJob | undefined>({
    ...batchOfTick(() => 0),
    async makeCalls(ids) {
      const found = new Map((await backend.findPending(queue, ids)).map(job => [job.id, job]));
      return ids.map(id => found.get(id));
    },
  });
  const open: OpenQueue = { name, queue, ends, waiters, pressure, findPending, endedAt: undefined };
  return open;
}

/** For jobs with this time limit, where the queue has none of its own. */
export async function readProgress(
  backend: Backend,
  open: OpenQueue,
  timeoutMs: number,
): Promise<QueueProgress> {
  const { name, queue, waiters } = open;
  const now = backend.now();
  const [backlog, { lastAt }] = await Promise.all([backend.backlog(queue), backend.ends.find(queue, now)]);
  if (lastAt !== undefined) open.endedAt = Math.max(open.endedAt ?? lastAt, lastAt);
  const limits = { now: backend.now(), timeoutMs: queues[name].timeLimitMs ?? timeoutMs };
  const seen = progressOf(backlog, open.endedAt, limits);
  return { queue: name, ...seen, polledReplies: waiters.polledReplies };
}
