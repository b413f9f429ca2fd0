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
  /** What is still in use after garbage is collected, in MB. */
  readonly keptMb: number;
}

/** Has this process answer `askLoad`. */
export function tellLoad(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let before = process.cpuUsage();
  process.on('message', message => {
    if (message !== 'load') return;
    const { user, system } = process.cpuUsage(before);
    const heldMs = delay.max / 1_000_000;
    collect();
    const { heapUsed, external } = process.memoryUsage();
    process.send?.({ cpuMs: (user + system) / 1_000, heldMs, keptMb: (heapUsed + external) / 1_048_576 });
    before = process.cpuUsage();
    delay.reset();
  });
}

export async function askLoad(child: Fork): Promise<ChildLoad> {
  child.send('load');
  const [load] = (await once(child, 'message')) as [ChildLoad];
  return load;
}
