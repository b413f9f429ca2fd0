import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findBinaries } from './binaries.ts';
import { isAlive } from './is-alive.ts';
import { CTYPE, makeServerSpawnOptions, type ServerUser, serverPathOf, serverUserOf } from './server-user.ts';

export const PASSWORD_FILE = 'superuser-password';

export async function makeClusterIn(dataDir: string, folder: string): Promise<void> {
  const user = await serverUserOf(folder);
  await mkdir(folder, { mode: 0o700 });
  await changeOwner(folder, user);
  const password = randomBytes(24).toString('hex');
  await initdb(dataDir, folder, user, password);
  await writeFile(join(folder, PASSWORD_FILE), password, { mode: 0o600 });
}

async function initdb(dataDir: string, folder: string, user: ServerUser, password: string): Promise<void> {
  const bin = await findBinaries(user);
  const passwordFile = join(dataDir, `.password-${randomBytes(6).toString('hex')}`);
  await writeFile(passwordFile, password, { mode: 0o600 });
  await changeOwner(passwordFile, user);
  const standardInput = await open(passwordFile);
  await rm(passwordFile);
  const args = ['-D', serverPathOf(folder), '-U', 'postgres', '--pwfile=/dev/stdin', '--auth=scram-sha-256'];
  const locale = ['--encoding=UTF8', `--locale=${CTYPE}`, '--locale-provider=builtin'];
  const child = spawn(join(bin, 'initdb'), [...args, ...locale, '--builtin-locale=C.UTF-8'], {
    ...makeServerSpawnOptions(folder, user),
    stdio: [standardInput.fd, 'pipe', 'pipe'],
  });
  try {
    await waitForSuccess(child);
  } finally {
    await standardInput.close();
  }
}

async function waitForSuccess(child: ChildProcess): Promise<void> {
  let output = '';
  child.stdout?.resume();
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  if (code !== 0) throw new Error(`initdb failed (${code}): ${output.trim()}`);
}

/** Deletes folders that killed starters left. */
export async function removeIncomplete(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const maker = /^pg\.new-(\d+)-/.exec(name)?.[1];
    if (maker && !isAlive(Number(maker))) await rm(join(dataDir, name), { recursive: true, force: true });
  }
}

async function changeOwner(path: string, { uid, gid }: ServerUser): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
