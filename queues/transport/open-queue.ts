import type { QueueName } from '../contract/operation.ts';
import type { Backend, ParleyEvents, ParleyQueue } from './backend.ts';
import { makePressure, type Pressure } from './pressure.ts';
import { progressOf, type QueueProgress } from './progress.ts';
import type { JobReply } from './store.ts';
import { Waiters } from './waiters.ts';

/** A queue with its events, waiters and pressure, for the API. */
export interface OpenQueue {
  readonly queue: ParleyQueue;
  readonly events: ParleyEvents;
  readonly waiters: Waiters;
  readonly pressure: Pressure;
  /** When any job of this queue last ended, on the store's clock. */
  endedAt: number | undefined;
}

export function openQueue(backend: Backend, name: QueueName): OpenQueue {
  const queue = backend.makeQueue(name);
  const events = backend.makeEvents(name);
  const waiters = new Waiters({ ...backend.polling, findFinished: ids => backend.findFinished(queue, ids) });
  const pressure = makePressure(() => backend.backlog(queue), backend.now);
  const open: OpenQueue = { queue, events, waiters, pressure, endedAt: undefined };
  const noteCompletion = (jobId: string, reply: JobReply | undefined) => {
    open.endedAt = backend.now();
    pressure.noteEnd();
    waiters.noteCompletion(jobId, reply);
  };
  // BullMQ passes the parsed reply, although its types say string.
  events.on('completed', ({ jobId, returnvalue }) => noteCompletion(jobId, returnvalue as never));
  events.on('failed', ({ jobId }) => noteCompletion(jobId, undefined));
  return open;
}

/** For jobs with this time limit. */
export async function readProgress(
  backend: Backend,
  { queue, endedAt, waiters }: OpenQueue,
  timeoutMs: number,
): Promise<QueueProgress> {
  const seen = progressOf(await backend.backlog(queue), endedAt, { now: backend.now(), timeoutMs });
  return { queue: queue.name, ...seen, polledReplies: waiters.polledReplies };
}
