import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readOwnHeapMb } from '../process-usage.bench.ts';
import type { Fork } from '../stores.bench.ts';

const SAMPLE_EVERY_MS = 50;

/** Resources that a process has used since the last query. */
export interface ChildLoad {
  readonly cpuMs: number;
  /** The longest event loop delay, including delays by other load on the machine. */
  readonly heldMs: number;
  /** The most memory it had at any time, in MB, as the system counts it. */
  readonly maxMb: number;
}

/** Makes this process answer `askLoad` and `readHeapMb`. */
export function answerLoadQueries(): void {
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  let before = process.cpuUsage();
  let most = 0;
  setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), SAMPLE_EVERY_MS).unref();
  process.on('message', message => {
    if (message === 'load') {
      const { user, system } = process.cpuUsage(before);
      process.send?.({
        cpuMs: (user + system) / 1_000,
        heldMs: loop.max / 1_000_000,
        maxMb: most / 1_048_576,
      });
      before = process.cpuUsage();
      loop.reset();
      most = 0;
    } else if (message === 'kept') {
      void readOwnHeapMb().then(kept => process.send?.(kept));
    }
  });
}

export async function askLoad(child: Fork): Promise<ChildLoad> {
  return answerOf<ChildLoad>(child, 'load');
}

/** Memory in use after garbage collection, in MB. */
export async function readHeapMb(child: Fork): Promise<number> {
  return answerOf<number>(child, 'kept');
}

async function answerOf<T>(child: Fork, question: string): Promise<T> {
  child.send(question);
  const [answer] = (await once(child, 'message')) as [T];
  return answer;
}
