import { createContext, Script } from 'node:vm';

const script = new Script('check()');
/** One for all: a new one takes a millisecond. */
const sandbox = createContext({});
const MAX_ATTEMPTS = 10;

/**
 * Returns the result of the check, or undefined where that takes longer than the limit, which would block the event loop, and so all
 * turns of this process. It may be begun several times: a process that had to wait for the processor meanwhile has not used its time.
 */
export function runBounded<T>(check: () => T, maxMs: number): T | undefined {
  sandbox['check'] = check;
  try {
    for (let leftMs = maxMs; leftMs >= 1; ) {
      const before = process.cpuUsage();
      try {
        return script.runInContext(sandbox, { timeout: Math.floor(leftMs) }) as T;
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
        const { user, system } = process.cpuUsage(before);
        // At least a part of it, so that this ends.
        leftMs -= Math.max((user + system) / 1_000, maxMs / MAX_ATTEMPTS);
      }
    }
    return undefined;
  } finally {
    sandbox['check'] = undefined;
  }
}
