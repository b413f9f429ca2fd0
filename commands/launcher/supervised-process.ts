import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { makeBackoff } from '../../platform/repeat.ts';
import { type LineReader, type ProcessPlan, spawnChild } from './child-process.ts';
import { printLine } from './print-line.ts';
import { endOf, stopProcess } from './process-end.ts';

const RESTS = makeBackoff(500, 5_000);
const HEALTHY_AFTER_MS = 10_000;

/**
 * A supervised process: running, in backoff before a restart, or stopped. The backoff doubles with each early exit
 * and is reset once the process has stayed up.
 */
export class SupervisedProcess {
  readonly #stopped = new AbortController();
  #child: ChildProcess | undefined;
  /** Rejects when the process exits because of a wrong setting: a restart would not help. */
  readonly gaveUp: Promise<never>;

  /** Called at each start. */
  constructor(plan: () => ProcessPlan, isForUs?: LineReader) {
    this.gaveUp = this.#last(plan, isForUs).then(() => new Promise<never>(() => {}));
    // Prevents an unhandled rejection before the caller awaits it.
    this.gaveUp.catch(() => {});
  }

  async stop(forceStop: AbortSignal): Promise<void> {
    this.#stopped.abort();
    if (this.#child) await stopProcess(this.#child, forceStop);
  }

  async #last(planOf: () => ProcessPlan, isForUs?: LineReader): Promise<void> {
    const { signal } = this.#stopped;
    let rests = RESTS;
    while (!signal.aborted) {
      const startedAt = Date.now();
      const plan = planOf();
      this.#child = spawnChild(plan, isForUs);
      const end = await endOf(this.#child);
      this.#child = undefined;
      if (end.isWrongSetting && !signal.aborted)
        throw new Error(`${plan.name} cannot run with these settings: see its messages above`);
      if (Date.now() - startedAt >= HEALTHY_AFTER_MS) rests = RESTS;
      const rest = rests.next();
      rests = rest;
      // A signal to the process group may end the child before it reaches us: the backoff covers that too.
      await delay(rest.duration, undefined, { signal }).catch(() => {});
      if (!signal.aborted) printLine(`${plan.name} exited (${end.reason ?? 'exit code 0'}); restarting it`);
    }
  }
}
