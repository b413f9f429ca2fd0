import type { ChildProcess } from 'node:child_process';
import { WRONG_SETTING_CODE } from '../../platform/setting-error.ts';

/** `reason` is a message; undefined after a clean exit. */
export interface ProcessEnd {
  readonly reason: string | undefined;
  /** The exit was caused by a wrong setting, which no restart mends. */
  readonly isWrongSetting: boolean;
}

export function endOf(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise(resolve => {
    child.once('error', error => resolve({ reason: error.message, isWrongSetting: false }));
    child.once('exit', (code, signal) => {
      const reason = code === 0 ? undefined : (signal ?? `exit code ${code}`);
      resolve({ reason, isWrongSetting: code === WRONG_SETTING_CODE });
    });
  });
}

/** Sends SIGTERM, and SIGKILL when `forceStop` is aborted. */
export async function stopProcess(child: ChildProcess, forceStop: AbortSignal): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise(resolve => child.once('exit', resolve));
  const kill = () => child.kill('SIGKILL');
  child.kill('SIGTERM');
  if (forceStop.aborted) kill();
  forceStop.addEventListener('abort', kill);
  await exited;
  forceStop.removeEventListener('abort', kill);
}
