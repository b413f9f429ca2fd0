import type { EndListener, Ends, JobReply, Listening } from './store.ts';

/*
 * How a process hears of the ends of jobs on PostgreSQL: from the event stream of each queue, which tells of all its jobs.
 */

interface QueueEnds {
  readonly times: number[];
  lastAt: number | undefined;
}

/** The longest time over which a throughput is measured. */
const KEPT_MS = 20_000;

type EndHandler = (end: { jobId: string; returnvalue?: unknown }) => void;
interface Events extends Listening {
  on(event: 'completed' | 'failed', handler: EndHandler): unknown;
}

export function makeEventEnds(makeEvents: (queue: string) => Events, now: () => number): Ends {
  const byQueue = new Map<string, QueueEnds>();
  const note = (ends: QueueEnds) => {
    ends.lastAt = now();
    ends.times.push(ends.lastAt);
    while ((ends.times[0] ?? Number.POSITIVE_INFINITY) < ends.lastAt - KEPT_MS) ends.times.shift();
  };
  return {
    asker: undefined,
    listen(queue: string, listener: EndListener) {
      const ends: QueueEnds = { times: [], lastAt: undefined };
      byQueue.set(queue, ends);
      const events = makeEvents(queue);
      const handle: EndHandler = ({ jobId, returnvalue }) => {
        note(ends);
        // BullMQ passes the parsed reply, although its types say string.
        listener.noteEnd(jobId, returnvalue as JobReply | undefined);
      };
      events.on('completed', handle);
      events.on('failed', handle);
      return events;
    },
    async find(queue, since) {
      const { times = [], lastAt } = byQueue.get(queue.name) ?? {};
      return { count: times.filter(at => at > since).length, lastAt };
    },
    reconnect() {},
    close() {},
  };
}
