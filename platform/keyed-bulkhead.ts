export type KeyedBulkhead = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Runs at most `max` at a time for each key; what waits begins in the order of its arrival. */
export function makeKeyedBulkhead(max: number): KeyedBulkhead {
  const byKey = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  return async (key, work) => {
    const own = byKey.get(key) ?? { running: 0, waiting: [] };
    byKey.set(key, own);
    if (own.running >= max) await new Promise<void>(begin => own.waiting.push(begin));
    else own.running += 1;
    try {
      return await work();
    } finally {
      const begin = own.waiting.shift();
      if (begin) begin();
      else own.running -= 1;
      if (own.running === 0) byKey.delete(key);
    }
  };
}
