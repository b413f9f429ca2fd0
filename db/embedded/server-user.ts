import type { SpawnOptions } from 'node:child_process';
import { stat } from 'node:fs/promises';

/** PostgreSQL refuses to run as root; root runs it as the owner of its folder, at first as nobody. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

const NOBODY: ServerUser = { uid: 65534, gid: 65534 };

export async function serverUserOf(folder: string): Promise<ServerUser> {
  if (!isRoot()) return {};
  const { uid, gid } = await stat(folder).catch(() => ({ uid: 0, gid: 0 }));
  return uid === 0 ? NOBODY : { uid, gid };
}

/**
 * The folder as the server is told it, to go with `serverSpawnOptions`. The user that root takes for it often may not walk
 * down to the folder (a home of mode 0700), but a process started inside it has it as working directory, which needs no walk.
 */
export function serverPathOf(folder: string): string {
  return isRoot() && process.platform === 'linux' ? '/proc/self/cwd' : folder;
}

/** Nothing of our environment reaches the server: PGDATA and its like would change what it does. */
export function serverSpawnOptions(folder: string, user: ServerUser) {
  return { ...user, cwd: folder, env: { LC_ALL: CTYPE } } satisfies SpawnOptions;
}

/** Under plain `C` pg_trgm takes no accented letter for a letter. */
export const CTYPE = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';

function isRoot(): boolean {
  return process.geteuid?.() === 0;
}
