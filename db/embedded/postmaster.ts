import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The main server process, as its pid file describes it. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly isReady: boolean;
}

const EMPTY_FOR_MS = 2_000;

/** Finds the running server of a cluster; a stale pid file counts as none. */
export async function findPostmaster(folder: string): Promise<Postmaster | undefined> {
  const { pid, port, status } = await readPidFile(folder);
  if (!pid || !isAlive(pid) || !(await isPostgres(pid))) return undefined;
  return { pid, port, isReady: status === 'ready' };
}

/**
 * PostgreSQL replaces the pid file of a dead process, but refuses to start while another program has that pid. Such a file is
 * removed: its process is not PostgreSQL, or it is `impostor`, the server of another folder.
 */
export async function removeStalePidFile(folder: string, impostor: Postmaster | undefined): Promise<void> {
  const { pid } = await readPidFile(folder);
  const isStranger = pid !== 0 && isAlive(pid) && (pid === impostor?.pid || !(await isPostgres(pid)));
  if (isStranger || (await isAbandoned(folder))) await rm(pidFileOf(folder), { force: true });
}

/** A server writes its pid right after it creates the file, so a file that stays empty is from a crash. */
async function isAbandoned(folder: string): Promise<boolean> {
  const file = await stat(pidFileOf(folder)).catch(() => undefined);
  return file !== undefined && file.size === 0 && Date.now() - file.mtimeMs > EMPTY_FOR_MS;
}

async function isPostgres(pid: number): Promise<boolean> {
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => 'postgres');
  return name.trim() === 'postgres';
}

async function readPidFile(folder: string) {
  const text = await readFile(pidFileOf(folder), 'utf8').catch(() => '');
  const [pid, , , port, , , , status] = text.split('\n');
  return { pid: Number(pid), port: Number(port), status: status?.trim() };
}

function pidFileOf(folder: string): string {
  return join(folder, 'postmaster.pid');
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
