import { RoundRobin } from '../../platform/round-robin.ts';

export type FairBulkhead = <T>(key: string, work: () => Promise<T> | T) => Promise<T>;

/** Runs at most `max` at a time; what waits begins round-robin over the keys (tokens): nobody waits behind all of another. */
export function makeFairBulkhead(max: number): FairBulkhead {
  const waiting = new RoundRobin<() => void>();
  let running = 0;
  return async (key, work) => {
    if (running >= max) await new Promise<void>(begin => waiting.add(key, begin));
    else running += 1;
    try {
      return await work();
    } finally {
      const begin = waiting.take();
      if (begin) begin();
      else running -= 1;
    }
  };
}
