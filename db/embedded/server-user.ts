import type { SpawnOptions } from 'node:child_process';
import { stat } from 'node:fs/promises';

/** PostgreSQL refuses to run as root; root runs it as the owner of its folder, initially nobody. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

const NOBODY: ServerUser = { uid: 65534, gid: 65534 };

export async function findServerUser(folder: string): Promise<ServerUser> {
  if (!isRoot()) return {};
  const { uid, gid } = await stat(folder).catch(() => ({ uid: 0, gid: 0 }));
  return uid === 0 ? NOBODY : { uid, gid };
}

/**
 * Returns the path of the folder for the server, for use with `serverSpawnOptions`. The user `nobody` often may not traverse
 * the path (a home of mode 0700), but the working directory of a process needs no traversal.
 */
export function serverPathOf(folder: string): string {
  return isRoot() && process.platform === 'linux' ? '/proc/self/cwd' : folder;
}

/** The server gets no environment: PGDATA and others would change its behaviour. */
export function makeServerSpawnOptions(folder: string, user: ServerUser) {
  return { ...user, cwd: folder, env: { LC_ALL: CTYPE } } satisfies SpawnOptions;
}

/** With the plain locale `C`, pg_trgm does not treat accented letters as letters. */
export const CTYPE = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';

function isRoot(): boolean {
  return process.geteuid?.() === 0;
}
