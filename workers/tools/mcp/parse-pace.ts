import { setImmediate as nextTurn } from 'node:timers/promises';
import { makePacedQueue } from '../../../platform/paced-queue.ts';

/** Large messages of all servers are parsed one by one, round-robin over the hosts, with pauses for everything else. */
export function makeParsePace(): <T>(hostId: string, message: T) => Promise<T> {
  const queue = makePacedQueue(1);
  return (hostId, message) =>
    new Promise(resolve => {
      // Who awaits the message parses it before the next tick of the event loop, so the queue measures that.
      void queue.run(hostId, () => nextTurn(resolve(message)));
    });
}
