import { createContext, Script } from 'node:vm';

const script = new Script('check()');
/** One for all: a new one takes a millisecond. */
const sandbox = createContext({});
/** How many times as long as its limit a check may block a process that has to wait for the processor. */
const MAX_FACTOR = 4;

/**
 * Returns the result of the check, or undefined where that takes longer than the limit, which would block the event loop, and so all
 * turns of this process. A process that had to wait for the processor meanwhile has not used its time: the check is begun once more,
 * and may take as much longer.
 */
export function runBounded<T>(check: () => T, maxMs: number): T | undefined {
  const first = runFor(check, maxMs);
  if ('result' in first) return first.result;
  const leftMs = ((maxMs - first.usedMs) * maxMs) / first.usedMs;
  const again = leftMs < 1 ? undefined : runFor(check, Math.min(leftMs, MAX_FACTOR * maxMs));
  return again && 'result' in again ? again.result : undefined;
}

/** `usedMs`: of the processor, where it was interrupted. */
function runFor<T>(check: () => T, timeoutMs: number): { readonly result: T } | { readonly usedMs: number } {
  const before = process.cpuUsage();
  sandbox['check'] = check;
  try {
    return { result: script.runInContext(sandbox, { timeout: Math.ceil(timeoutMs) }) as T };
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    const { user, system } = process.cpuUsage(before);
    return { usedMs: (user + system) / 1_000 };
  } finally {
    sandbox['check'] = undefined;
  }
}
