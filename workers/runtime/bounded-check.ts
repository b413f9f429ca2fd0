import { createContext, Script } from 'node:vm';

const work = new Script('check()');

/**
 * What the check gives, or undefined where it takes longer: a pattern in a schema may take longer with each letter than
 * a turn lasts, and would hold all turns of this process meanwhile.
 */
export function runBoundedCheck<T>(check: () => T, longestMs: number): T | undefined {
  try {
    return work.runInContext(createContext({ check }), { timeout: longestMs }) as T;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}
