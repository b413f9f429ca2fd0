import { isAlive } from './is-alive.ts';
import { postmasterOf } from './postmaster.ts';

const POLL_EVERY_MS = 20;

export async function stopPostmaster(folder: string, pid: number, graceMs: number): Promise<void> {
  if ((await postmasterOf(folder))?.pid !== pid) return;
  signal(pid, 'SIGINT');
  if (await isGoneWithin(pid, graceMs)) return;
  // An immediate shutdown: nothing committed is lost, the next start recovers.
  signal(pid, 'SIGQUIT');
  if (!(await isGoneWithin(pid, 10_000))) throw new Error(`PostgreSQL (process ${pid}) does not stop`);
}

async function isGoneWithin(pid: number, ms: number): Promise<boolean> {
  const giveUpAt = Date.now() + ms;
  while (isAlive(pid) && Date.now() < giveUpAt) {
    await new Promise(again => setTimeout(again, POLL_EVERY_MS));
  }
  return !isAlive(pid);
}

function signal(pid: number, name: NodeJS.Signals): void {
  if (isAlive(pid)) process.kill(pid, name);
}
