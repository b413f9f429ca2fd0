import type { QueueName } from '../contract/operation.ts';
import type { Backend, ParleyEvents, ParleyQueue } from './backend.ts';
import { makePressure, type Pressure } from './pressure.ts';
import type { JobReply } from './store.ts';
import { Waiters } from './waiters.ts';

/** One queue as the api has it: where questions go in, and who hears of the ends. */
export interface OpenQueue {
  readonly queue: ParleyQueue;
  readonly events: ParleyEvents;
  readonly waiters: Waiters;
  readonly pressure: Pressure;
  /** When a job of this queue was last heard to end, whoever asked it; on the store's clock. */
  endedAt: number | undefined;
}

export function openQueue(backend: Backend, name: QueueName): OpenQueue {
  const queue = backend.makeQueue(name);
  const events = backend.makeEvents(name);
  const waiters = new Waiters({ ...backend.sweep, findFinished: ids => backend.findFinished(queue, ids) });
  const pressure = makePressure(() => backend.backlog(queue), backend.now);
  const open: OpenQueue = { queue, events, waiters, pressure, endedAt: undefined };
  const noteCompletion = (jobId: string, reply: JobReply | undefined) => {
    open.endedAt = backend.now();
    pressure.noteEnd();
    waiters.noteCompletion(jobId, reply);
  };
  // The library hands the reply over parsed, whatever its types say.
  events.on('completed', ({ jobId, returnvalue }) => noteCompletion(jobId, returnvalue as never));
  events.on('failed', ({ jobId }) => noteCompletion(jobId, undefined));
  return open;
}
