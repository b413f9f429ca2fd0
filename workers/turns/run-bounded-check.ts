import { createContext, Script } from 'node:vm';

const script = new Script('check()');

/**
 * Returns the result of the check, or undefined when it exceeds the limit. A regular expression of a schema may
 * backtrack for longer than a turn lasts and would block the event loop, and so all turns of this process.
 */
export function runBoundedCheck<T>(check: () => T, maxMs: number): T | undefined {
  try {
    return script.runInContext(createContext({ check }), { timeout: maxMs }) as T;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}
