import { setImmediate as nextTurn } from 'node:timers/promises';
import { Gate } from '../../../platform/gate.ts';

/** Large messages of all servers are parsed one by one, round-robin over the hosts, with pauses for everything else. */
export function makeParsePace(): <T>(hostId: string, message: T) => Promise<T> {
  const gate = new Gate({ maxTotal: 1, maxPerKey: 1 }, 1);
  return (hostId, message) =>
    new Promise(resolve => {
      // Who awaits the message parses it before the next tick of the event loop, so the gate measures that.
      void gate.run({ key: hostId }, () => nextTurn(resolve(message)));
    });
}
