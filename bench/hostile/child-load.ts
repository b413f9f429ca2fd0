import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Fork } from '../stores.ts';

/** What a process has used since it was asked last. */
export interface ChildLoad {
  readonly cpuMs: number;
  /** The longest that its event loop stood still; on a machine with other work, that work too. */
  readonly heldMs: number;
}

/** Has this process answer `askLoad` and `askKeptMb`. */
export function tellLoad(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let before = process.cpuUsage();
  process.on('message', message => {
    if (message === 'load') {
      const { user, system } = process.cpuUsage(before);
      process.send?.({ cpuMs: (user + system) / 1_000, heldMs: delay.max / 1_000_000 });
      before = process.cpuUsage();
      delay.reset();
    } else if (message === 'kept') {
      collect();
      const { heapUsed, external } = process.memoryUsage();
      process.send?.((heapUsed + external) / 1_048_576);
    }
  });
}

export async function askLoad(child: Fork): Promise<ChildLoad> {
  return answerOf<ChildLoad>(child, 'load');
}

/** What is still in use after garbage is collected, in MB. */
export async function askKeptMb(child: Fork): Promise<number> {
  return answerOf<number>(child, 'kept');
}

async function answerOf<T>(child: Fork, question: string): Promise<T> {
  child.send(question);
  const [answer] = (await once(child, 'message')) as [T];
  return answer;
}
